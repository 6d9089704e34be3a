// Jobs that are aside, beside the walk through those that wait.
#pragma once

#include <set>
#include <vector>

#include "core/admit/tentative.h"
#include "core/decide/decision.h"
#include "core/decide/room_maker.h"
#include "core/preempt/resume.h"
#include "core/state/state_view.h"

namespace gpusched {

class Returns {
 public:
  Returns(const StateView& state, Now now);
  // Those that go before the waiting jobs of this band, as far as there is room.
  void serve(int band, Tentative& free, RoomMaker& rooms, Decided& decided);

 private:
  void serve_one(const Job& job, int before, Tentative& free, RoomMaker& rooms, Decided& decided);

  const StateView& state_;
  Now now_;
  std::vector<Waiting> waiting_;
  std::size_t next_ = 0;
  std::set<JobId> served_;
  FrozenJobs frozen_;
};

}  // namespace gpusched
