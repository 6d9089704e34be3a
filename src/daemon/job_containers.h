// Containers that jobs started: an engine runs them outside the job's process tree, so that they
// would outlive it. Learned from what is seen on the cards; when the attempt is over, they are
// named to whoever ends them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/state/state_view.h"
#include "watch/report.h"

namespace gpusched {

class JobContainers {
 public:
  void learn(const watch::SampleReport& report, const StateView& state);

  struct LeftBehind {
    AttemptId attempt;
    Boot since{};                     // When the attempt began.
    std::vector<std::string> groups;  // Their control groups.
  };
  // Those of attempts that are over, each once.
  std::vector<LeftBehind> take_left_behind(const StateView& state);

 private:
  struct Known {
    Boot since{};
    std::vector<std::string> groups;
  };
  std::map<AttemptId, Known> known_;
};

}  // namespace gpusched
