// Which socket is open, for the child of a fork: it closes its copy without a lock, and only if the
// number still means that socket.
#pragma once

#include <atomic>
#include <cstdint>

namespace gpusched::library {

class OpenSocket {
 public:
  void set(int fd);  // -1: none.
  void close_copy() const;

 private:
  std::atomic<int> fd_{-1};
  std::atomic<std::uint64_t> inode_{0};
};

}  // namespace gpusched::library
