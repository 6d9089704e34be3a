// Room for jobs that did not find any, by moving others aside.
#pragma once

#include <optional>
#include <set>

#include "core/admit/tentative.h"
#include "core/decide/decision.h"
#include "core/preempt/preempt.h"
#include "core/state/state_view.h"

namespace gpusched {

class RoomMaker {
 public:
  RoomMaker(const StateView& state, Now now);

  // Somebody has left, or leaves, for this job: nobody takes that from it. True once.
  bool take_claim(JobId id) { return claims_.erase(id) > 0; }
  bool any_claims() const { return !claims_.empty(); }
  // It may be worth a try for a job of this band.
  bool possible(int band) const;
  // It has been seen to in this turn.
  bool made_for(JobId id) const { return made_.contains(id); }

  // True: room is, or will be, made, and nobody else gets it.
  bool make(const Job& job, const ReservedStart* reserved, Tentative& free, Decided& decided);
  // For one that was moved aside itself. Its place is kept for it by whoever calls.
  void make_for_return(const Job& job, const ReservedStart* reserved, Tentative& free,
                       Decided& decided);

 private:
  std::optional<Grant> find_or_plan(const Job& job, const FindRoom& find, Tentative& free,
                                    Decided& decided);

  const StateView& state_;
  Now now_;
  std::optional<Leavers> leavers_;
  std::set<JobId> claims_;
  std::set<JobId> made_;
  int plans_ = 0;
  int tries_ = 0;
};

}  // namespace gpusched
