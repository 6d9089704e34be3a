// The lock that keeps two embedded schedulers of one machine apart. The kernel's: it is gone with
// the process, however that ends, and children do not inherit it.
#pragma once

#include <string>

#include "os/fd.h"
#include "scheduler/backend.h"

namespace gpusched::library {

std::string default_lock_path();

class MachineLock {
 public:
  static Reply<MachineLock> take(const std::string& path);

 private:
  explicit MachineLock(Fd file) : file_(std::move(file)) {}
  Fd file_;
};

}  // namespace gpusched::library
