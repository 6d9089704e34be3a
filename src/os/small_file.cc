#include "os/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/fd.h"

namespace gpusched {

std::string read_small_file(const std::string& path, std::size_t most) {
  return read_small_file_in(AT_FDCWD, path.c_str(), most);
}

std::string read_small_file_in(int directory, const char* name, std::size_t most) {
  // A pipe in its place is empty, and not waited for.
  const Fd file(::openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return file ? read_small_file(file.get(), most) : std::string();
}

std::string read_small_file(int file, std::size_t most) {
  std::string content;
  char piece[4096];
  while (content.size() < most) {
    const ssize_t got = ::read(file, piece, std::min(sizeof piece, most - content.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    content.append(piece, static_cast<std::size_t>(got));
  }
  return content;
}

}  // namespace gpusched
