#include "jobdir/progress_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>

#include "jobdir/job_directory.h"
#include "os/fd.h"

namespace gpusched {
namespace {

constexpr std::size_t kLongestLine = 256;
constexpr std::size_t kLongestWords = 120;

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first);
}

bool take_number(std::string_view& text, std::uint64_t& number) {
  text = without_blanks(text);
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return text.empty() || text.front() == ' ' || text.front() == '\t' || text.front() == '\n' ||
         text.front() == '\r';
}

// The rest of the line, as far as it may stand on a terminal.
std::string rest_of_line(std::string_view text) {
  text = without_blanks(text.substr(0, text.find_first_of("\r\n")));
  std::string words;
  for (const char c : text.substr(0, kLongestWords)) {
    words += static_cast<unsigned char>(c) >= 0x20 && c != 0x7f ? c : ' ';
  }
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

}  // namespace

bool parse_progress(std::string_view text, ReportedProgress& progress) {
  if (!take_number(text, progress.step) || !take_number(text, progress.total)) return false;
  if (progress.total == 0 || progress.step > progress.total) return false;
  progress.said = rest_of_line(text);
  return true;
}

std::optional<ReportedProgress> read_progress(const std::string& state_directory, JobId job,
                                              std::uint32_t uid) {
  const std::string path = checkpoint_directory(state_directory, job);
  const Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return std::nullopt;
  const Fd file(::openat(directory.get(), "progress",
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat about {};
  if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != uid) {
    return std::nullopt;
  }
  char line[kLongestLine];
  const ssize_t got = ::pread(file.get(), line, sizeof line, 0);
  ReportedProgress progress;
  if (got <= 0 || !parse_progress({line, static_cast<std::size_t>(got)}, progress)) {
    return std::nullopt;
  }
  progress.at = Wall{Seconds{about.st_mtim.tv_sec}} + Microseconds{about.st_mtim.tv_nsec / 1000};
  return progress;
}

}  // namespace gpusched
