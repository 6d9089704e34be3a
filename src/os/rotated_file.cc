#include "os/rotated_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gpusched {

Result<RotatedFile> RotatedFile::open(std::string path, std::uint64_t most_bytes, int keep) {
  RotatedFile file(std::move(path), most_bytes, keep);
  if (auto opened = file.reopen(); !opened) return failure(opened.error());
  return file;
}

Result<void> RotatedFile::reopen() {
  Fd fd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return failure(ErrorCode::kIo, fmt::format("open log file {}: {}", path_, strerror(errno)));
  }
  fd_ = std::move(fd);
  size_ = static_cast<std::uint64_t>(status.st_size);
  return {};
}

void RotatedFile::rotate() {
  const auto old_name = [this](int number) { return fmt::format("{}.{}", path_, number); };
  // Missing files in the row are normal; a rename that fails leaves the file growing, not lost.
  for (int number = keep_ - 1; number >= 1; --number) {
    (void)std::rename(old_name(number).c_str(), old_name(number + 1).c_str());
  }
  if (keep_ > 0) {
    if (std::rename(path_.c_str(), old_name(1).c_str()) != 0) return;
  } else if (::unlink(path_.c_str()) != 0) {
    return;
  }
  (void)reopen();
}

bool RotatedFile::write(std::string_view bytes) {
  if (most_bytes_ > 0 && size_ > 0 && size_ + bytes.size() > most_bytes_) rotate();
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    size_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace gpusched
