// A process as it runs now, whoever started it: what has to be known before it is adopted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace gpusched {

struct RunningProcess {
  pid_t pid = 0;
  Boot started{};
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  // It acts for one user alone: real, effective and saved identity are the same.
  bool plain_identity = false;
  std::vector<std::string> argv;
  std::string working_directory;  // Empty: not for us to see.
  std::vector<int> tree;          // Itself and its living descendants.
  std::vector<int> ancestors;     // The nearest first, without itself.
};

// The error is for people: there is no such process, or it cannot be looked at.
Result<RunningProcess> look_at_process(pid_t pid);

}  // namespace gpusched
