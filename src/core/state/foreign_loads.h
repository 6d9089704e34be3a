// How much foreign processes use one card, look by look. A process that has ended counts no more;
// one that goes on counts with the highest of its last seconds (recent_load.h).
//
// Some drivers tell no load per process. There the figure of the whole card stands in, as far as
// jobs of ours do not explain it (state_view.cc).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/model/card_view.h"
#include "core/state/recent_load.h"

namespace gpusched {

class ForeignLoads {
 public:
  // Puts what counts in place of what was seen. REQUIRES: a look that brought something.
  void look(CardView& view, Microseconds fall);

 private:
  // The start tells a process from a later one with its number.
  using Key = std::pair<int, std::optional<Boot>>;
  std::map<Key, RecentLoad> processes_;
  RecentLoad card_;
  std::set<AttemptId> ours_;
  bool told_by_process_ = false;
};

}  // namespace gpusched
