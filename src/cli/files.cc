#include "cli/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/words.h"

namespace gpusched::cli {
namespace {

tl::unexpected<Error> io_error(std::string_view doing, const std::string& path, int error) {
  const ErrorCode code = error == ENOENT   ? ErrorCode::kNotFound
                         : error == EACCES ? ErrorCode::kForbidden
                         : error == ENOSPC ? ErrorCode::kStorageFull
                                           : ErrorCode::kIo;
  return failure(code, fmt::format("{} {}: {}", doing, path, std::strerror(error)));
}

// At most `most` bytes, and whether there was more.
Result<bool> read_up_to(int fd, const std::string& path, std::size_t most, std::string& text) {
  char buffer[64 * 1024];
  while (true) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error("read", path, errno);
    if (n == 0) return false;
    const auto size = static_cast<std::size_t>(n);
    if (text.size() + size > most) {
      text.append(buffer, most - text.size());
      return true;
    }
    text.append(buffer, size);
  }
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Result<std::string> read_input(const std::string& path, std::size_t most) {
  std::string text;
  const bool standard_input = path == "-";
  Fd file(standard_input ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!standard_input && !file) return io_error("read", path, errno);
  auto more = read_up_to(standard_input ? STDIN_FILENO : file.get(), path, most, text);
  if (!more) return failure(more.error());
  if (*more) {
    return failure(ErrorCode::kTooLarge, fmt::format("{} is larger than {}", path, mib_text(most)));
  }
  return text;
}

Result<std::string> read_head(const std::string& path, std::size_t most) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return io_error("read", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return io_error("read", path, errno);
  if (!S_ISREG(status.st_mode)) {
    return failure(ErrorCode::kInvalid, path + " is not a regular file");
  }
  std::string text;
  auto more = read_up_to(file.get(), path, most, text);
  if (!more) return failure(more.error());
  return text;
}

Result<NewFile> NewFile::create(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) {
    return failure(ErrorCode::kConflict,
                   fmt::format("{} exists already; choose another name or remove it first", path));
  }
  std::string temporary = fmt::format("{}.part-{}", path, ::getpid());
  Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return io_error("create", temporary, errno);
  return NewFile(path, std::move(temporary), std::move(fd));
}

NewFile::~NewFile() {
  if (fd_) ::unlink(temporary_.c_str());
}

Result<void> NewFile::write(std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = ::write(fd_.get(), data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error("write", temporary_, errno);
    data.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> NewFile::keep() {
  if (::fsync(fd_.get()) != 0) return io_error("write", temporary_, errno);
  // link() refuses to replace what somebody else has made meanwhile; rename() would not.
  if (::link(temporary_.c_str(), path_.c_str()) == 0) {
    ::unlink(temporary_.c_str());
  } else if (errno == EEXIST) {
    return failure(ErrorCode::kConflict, path_ + " exists already; nothing was overwritten");
  } else if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(),
                         RENAME_NOREPLACE) != 0) {  // A file system without hard links.
    return io_error("create", path_, errno);
  }
  fd_.reset();
  Fd directory(::open(directory_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) ::fsync(directory.get());
  return {};
}

}  // namespace gpusched::cli
