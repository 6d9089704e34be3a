#include "simdriver/cuda/host_pages.h"

#include <sys/mman.h>

#include <algorithm>

namespace gpusched::simdriver::cuda {

void* HostPages::take(std::size_t bytes) {
  void* address =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  const std::lock_guard guard(mutex_);
  pages_.push_back({address, bytes});
  return address;
}

bool HostPages::give(void* address) {
  const std::lock_guard guard(mutex_);
  const auto found = std::ranges::find(pages_, address, &Pages::address);
  if (found == pages_.end()) return false;
  ::munmap(found->address, found->bytes);
  pages_.erase(found);
  return true;
}

void HostPages::protect(int how) {
  const std::lock_guard guard(mutex_);
  for (const Pages& each : pages_) ::mprotect(each.address, each.bytes, how);
}

void HostPages::take_away() { protect(PROT_NONE); }
void HostPages::bring_back() { protect(PROT_READ | PROT_WRITE); }

}  // namespace gpusched::simdriver::cuda
