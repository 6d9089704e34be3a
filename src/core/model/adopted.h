// A process that ran before it became a job (docs/adr/0043): its owner, or a rule, has put it under
// management. The job was never started by us, so it cannot be started again either.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace gpusched {

struct AdoptedProcess {
  int pid = 0;
  Boot started{};        // As the kernel says it; tells it from a later one of the same number.
  bool by_rule = false;  // Nobody asked for it: it is let go when it is back on its cards.
  friend bool operator==(const AdoptedProcess&, const AdoptedProcess&) = default;
};

// A process as it runs now, whoever started it: what has to be known before it is adopted.
struct RunningProcess {
  int pid = 0;
  Boot started{};
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  // It acts for one user alone: real, effective and saved identity are the same.
  bool plain_identity = false;
  std::vector<std::string> argv = {};
  std::string working_directory = {};  // Empty: not for us to see.
  std::vector<int> tree = {};          // Itself and its living descendants.
  std::vector<int> ancestors = {};     // The nearest first, without itself.
};

}  // namespace gpusched
