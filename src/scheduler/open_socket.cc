#include "scheduler/open_socket.h"

#include <sys/stat.h>
#include <unistd.h>

namespace gpusched::library {
namespace {

// 0: nothing is open under this number, or it is no socket.
std::uint64_t inode_of_socket(int fd) {
  struct stat about {};
  if (fd < 0 || ::fstat(fd, &about) != 0 || !S_ISSOCK(about.st_mode)) return 0;
  return about.st_ino;
}

}  // namespace

void OpenSocket::set(int fd) {
  inode_ = inode_of_socket(fd);
  fd_ = fd;
}

void OpenSocket::close_copy() const {
  const int fd = fd_;
  const std::uint64_t inode = inode_of_socket(fd);
  if (inode != 0 && inode == inode_) ::close(fd);
}

}  // namespace gpusched::library
