#include "client/known_servers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "os/fd.h"

namespace gpusched {
namespace {

constexpr std::size_t kFileMost = 1U << 20U;

struct Kept {
  int line = 0;
  std::string fingerprint;
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_odd(char c) { return (c >= 0 && c < ' ' && c != '\t') || c == '\x7f'; }

std::string_view next_word(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  const auto end = std::ranges::find_if(rest, is_blank);
  const std::string_view word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(word.size());
  return word;
}

std::string in_capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

// An error is the number of a line that cannot be read.
tl::expected<std::optional<Kept>, int> find_kept(std::string_view text, std::string_view server) {
  int line = 0;
  std::optional<Kept> found;
  while (!text.empty()) {
    ++line;
    std::string_view rest = take_until(text, '\n');
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    const std::string_view name = next_word(rest);
    if (name.empty() || name.starts_with('#')) continue;
    const std::string_view fingerprint = next_word(rest);
    const bool whole = !fingerprint.empty() && next_word(rest).empty();
    if (!whole || std::ranges::any_of(name, is_odd) || std::ranges::any_of(fingerprint, is_odd)) {
      return tl::unexpected(line);
    }
    if (!found && lower_case(name) == server) found = Kept{line, in_capitals(fingerprint)};
  }
  return found;
}

bool read_all(int fd, std::string& text) {
  std::array<char, 4096> piece{};
  ssize_t got = 0;
  while ((got = ::read(fd, piece.data(), piece.size())) > 0 && text.size() <= kFileMost) {
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return got >= 0 && text.size() <= kFileMost;
}

void make_directory_of(const std::string& file) {
  for (std::size_t at = file.find('/', 1); at != std::string::npos; at = file.find('/', at + 1)) {
    // Ignoring failure: opening the file says why it does not go.
    (void)::mkdir(file.substr(0, at).c_str(), 0700);
  }
}

}  // namespace

Result<std::string> parse_fingerprint(std::string_view text) {
  constexpr std::size_t kBytes = 32;
  const std::string capitals = in_capitals(trimmed(text));
  bool good = capitals.size() == 3 * kBytes - 1;
  for (std::size_t at = 0; good && at < capitals.size(); ++at) {
    const char c = capitals[at];
    const bool digit = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
    good = at % 3 == 2 ? c == ':' : digit;
  }
  if (good) return capitals;
  return failure(ErrorCode::kInvalid,
                 "is no fingerprint; 'gpusched cert' prints one: AB:CD:… with 32 pairs");
}

Result<Acquaintance> meet_server(const std::string& file, const std::string& server,
                                 const std::string& fingerprint, Meeting how) {
  const auto fault = [&file](const char* doing) {
    return failure(ErrorCode::kIo, fmt::format("{} {}: {}", doing, file, std::strerror(errno)));
  };
  const bool keeps = how == Meeting::kFirst;
  if (keeps) make_directory_of(file);
  const int flags = keeps ? O_RDWR | O_CREAT | O_APPEND : O_RDONLY;
  const Fd kept(::open(file.c_str(), flags | O_CLOEXEC, 0600));
  if (!kept && !keeps && (errno == ENOENT || errno == ENOTDIR)) return Acquaintance::kNew;
  if (!kept) return fault("open");
  // Two commands may meet it at the same time.
  if (::flock(kept.get(), keeps ? LOCK_EX : LOCK_SH) != 0) return fault("lock");
  std::string text;
  if (!read_all(kept.get(), text)) return fault("read");
  const auto found = find_kept(text, server);
  if (!found) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("line {} of {} is not like 'box:7340 AB:CD:…'; correct or remove it",
                               found.error(), file));
  }
  if (*found && (*found)->fingerprint == in_capitals(fingerprint)) return Acquaintance::kKnown;
  if (*found) {
    return failure(
        ErrorCode::kForbidden,
        fmt::format("the certificate of {} is not the one that was seen before: somebody may be in "
                    "between; if it was renewed (it is {}), remove line {} of {}",
                    server, fingerprint, (*found)->line, file));
  }
  if (!keeps) return Acquaintance::kNew;
  std::string line = server + " " + fingerprint + "\n";
  if (!text.empty() && text.back() != '\n') line.insert(0, "\n");
  const ssize_t written = ::write(kept.get(), line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) return fault("write");
  return Acquaintance::kNew;
}

}  // namespace gpusched
