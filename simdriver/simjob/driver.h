// The CUDA driver as a job sees it: found at run time, nothing linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace gpusched::simjob {

struct MemoryInfo {
  std::size_t free_bytes = 0, total_bytes = 0;
};

class Driver {
 public:
  // Loads libcuda.so.1 and makes contexts on the first `gpus` visible cards.
  static Result<Driver> open(int gpus);

  // 0 or the driver's code.
  int allocate(int device, std::uint64_t bytes, bool managed);
  // Of the host, managed by the driver. Null: it gives none.
  void* allocate_host(std::size_t bytes);
  MemoryInfo memory_of(int device);
  int step(unsigned percent, unsigned us);
  std::string sentence_of(int code) const;

 private:
  struct Calls {
    int (*init)(unsigned) = nullptr;
    int (*device_count)(int*) = nullptr;
    int (*retain)(void**, int) = nullptr;
    int (*set_current)(void*) = nullptr;
    int (*allocate)(std::uint64_t*, std::size_t) = nullptr;
    int (*allocate_managed)(std::uint64_t*, std::size_t, unsigned) = nullptr;
    int (*allocate_host)(void**, std::size_t, unsigned) = nullptr;
    int (*memory_info)(std::size_t*, std::size_t*) = nullptr;
    int (*error_string)(int, const char**) = nullptr;
    int (*simulated_step)(const int*, int, unsigned, unsigned) = nullptr;
  };
  Result<void> load();
  Result<void> make_contexts(int gpus);

  Calls calls_;
  std::vector<void*> contexts_;
  std::vector<int> devices_;
};

}  // namespace gpusched::simjob
