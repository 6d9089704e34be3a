#include "daemon/loss_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/text.h"
#include "os/fd.h"

namespace gpusched {

Result<void> write_loss(const std::string& state_directory, const std::string& what, Wall now) {
  const std::string path = state_directory + "/" + kLossName;
  const std::string line = fmt::format("{} {}\n", format_time(now), what);
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  const bool written =
      file && ::write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!written || ::fsync(file.get()) != 0) {
    return failure(ErrorCode::kIo, fmt::format("write {}: {}", path, std::strerror(errno)));
  }
  return {};
}

std::vector<std::string> read_losses(const std::string& state_directory) {
  constexpr std::size_t kShownMost = 5;
  const std::string path = state_directory + "/" + kLossName;
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(std::move(line));
  if (lines.size() > kShownMost) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kShownMost));
  }
  for (std::string& line : lines) line += " (delete " + path + " when that is seen to)";
  return lines;
}

}  // namespace gpusched
