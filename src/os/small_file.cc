#include "os/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "os/fd.h"

namespace gpusched {

std::string read_small_file(const std::string& path, std::size_t most) {
  return read_small_file_in(AT_FDCWD, path.c_str(), most);
}

std::string read_small_file_in(int directory, const char* name, std::size_t most) {
  const Fd file(::openat(directory, name, O_RDONLY | O_CLOEXEC));
  std::string content;
  char piece[4096];
  while (file && content.size() < most) {
    const ssize_t got = ::read(file.get(), piece, std::min(sizeof piece, most - content.size()));
    if (got <= 0) break;
    content.append(piece, static_cast<std::size_t>(got));
  }
  return content;
}

}  // namespace gpusched
