// Idle holders and their threads: whom to look at, and what follows from what was seen. Those on
// their cards are looked at to learn their habits, those that are aside to notice that they want to
// go on. The looks come from the edge. What is learnt is lost with the daemon; the next one learns
// it anew.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/model/event.h"
#include "core/preempt/activity.h"
#include "core/state/state_view.h"

namespace gpusched {

class HolderWatch {
 public:
  static bool is_needed(const StateView& state);
  // Whose processes to look at now, of all that run. Habits of others are forgotten.
  std::vector<JobId> whom(const StateView& state);
  // What was seen of one of these; nullopt: its process is gone.
  std::optional<Event> take(const StateView& state, JobId id,
                            const std::optional<HolderLook>& seen);

 private:
  struct Watched {
    Activity activity;
    bool said = false;
  };
  std::map<AttemptId, Watched> watched_;
};

}  // namespace gpusched
