// Host memory that the driver manages for its process (cuMemHostAlloc). It is really there, and as
// with the real driver it is not while the process is checkpointed: a thread that touches it then
// dies.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace gpusched::simdriver::cuda {

class HostPages {
 public:
  // Null: there is none.
  void* take(std::size_t bytes);
  bool give(void* address);
  void take_away();
  void bring_back();

 private:
  struct Pages {
    void* address = nullptr;
    std::size_t bytes = 0;
  };
  void protect(int how);

  std::mutex mutex_;
  std::vector<Pages> pages_;
};

}  // namespace gpusched::simdriver::cuda
