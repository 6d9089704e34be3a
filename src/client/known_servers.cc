#include "client/known_servers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

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

std::optional<Kept> find_kept(std::string_view text, std::string_view server) {
  int line = 0;
  while (!text.empty()) {
    ++line;
    std::string_view rest = trimmed(take_until(text, '\n'));
    if (rest.starts_with('#') || trimmed(take_until(rest, ' ')) != server) continue;
    return Kept{line, std::string(trimmed(rest))};
  }
  return std::nullopt;
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

Result<Acquaintance> meet_server(const std::string& file, const std::string& server,
                                 const std::string& fingerprint) {
  const auto fault = [&file](const char* doing) {
    return failure(ErrorCode::kIo, fmt::format("{} {}: {}", doing, file, std::strerror(errno)));
  };
  make_directory_of(file);
  const Fd kept(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!kept) return fault("open");
  // Two commands may meet it at the same time.
  if (::flock(kept.get(), LOCK_EX) != 0) return fault("lock");
  std::string text;
  if (!read_all(kept.get(), text)) return fault("read");
  const auto found = find_kept(text, server);
  if (found && found->fingerprint == fingerprint) return Acquaintance::kKnown;
  if (found) {
    return failure(
        ErrorCode::kForbidden,
        fmt::format("the certificate of {} is not the one that was seen before: somebody may be in "
                    "between; if it was renewed (it is {}), remove line {} of {}",
                    server, fingerprint, found->line, file));
  }
  std::string line = server + " " + fingerprint + "\n";
  if (!text.empty() && text.back() != '\n') line.insert(0, "\n");
  const ssize_t written = ::write(kept.get(), line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) return fault("write");
  return Acquaintance::kNew;
}

}  // namespace gpusched
