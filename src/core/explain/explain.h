// Why is it waiting? Answered from the state on demand, never stored: the same functions that
// decide are asked what stands in the way.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/decide/decide.h"
#include "core/model/reason.h"
#include "core/state/pending.h"
#include "core/state/state_view.h"

namespace gpusched {

// Every reason that keeps a waiting job from starting, the most telling first. Empty for jobs
// that do not wait.
std::vector<Reason> why_waiting(const StateView& state, const Job& job, Now now);

// The same for many jobs of one state: jobs of one shape share their answer.
// REQUIRES: the state does not change while this lives.
class WaitingReasons {
 public:
  WaitingReasons(const StateView& state, Now now);
  const std::vector<Reason>& of(const Job& job);
  // What is kept free for another job; null: nothing.
  const ReservedStart* reserved_against(const Job& job) const {
    const auto& kept = decided_.reserved;
    return kept && kept->job != job.id ? &*kept : nullptr;
  }
  // What jobs that go before it leave: above all those that are aside and return.
  Tentative left_for(const Job& job) const {
    return left_beside(state_, decided_.kept, band_rank(job.priority));
  }
  bool any_kept() const { return !decided_.kept.empty(); }

 private:
  const StateView& state_;
  Now now_;
  Decided decided_;
  std::map<std::pair<std::uint64_t, int>, std::vector<Reason>> by_shape_;  // And band.
  std::vector<Reason> single_;
};

}  // namespace gpusched
