// Making room: who is moved aside, and how, so that a more important job can start.
//
// A plan is all or nothing: with its victims gone the job is placed by the same functions as ever,
// so nobody is moved for nothing. Of several plans the one of least harm is taken: the least
// important victims, then the least work lost, the least time in moves, the fewest moves so far.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/admit/tentative.h"
#include "core/model/reason.h"
#include "core/preempt/victim.h"
#include "core/state/state_view.h"

namespace gpusched {

struct RoomPlan {
  Preempt decision;
  Grant grant;  // What the job will get.
};

// Cheap: false if nobody could be moved for a job of this band.
bool may_make_room(const StateView& state, int band);
// Those that are on their way out, by whatever way and for whomever: nobody else is moved for a
// job that will find room when they are gone.
class Leavers {
 public:
  explicit Leavers(const StateView& state);
  bool none() const { return going_.empty(); }
  bool contains(JobId id) const;
  // By a decision of this turn. What they will have in host RAM is taken from `free` at once.
  void add(const Preempt& plan, Tentative& free);
  // One of them waits aside before this job, and for one of these cards: the job would not start
  // there, so nobody else leaves for it yet.
  bool any_waits_before(const Job& job, const Grant& grant) const;
  // One of them makes room for this job on a card that does not answer at present, as after a
  // restart: whether that room is enough will be seen.
  bool any_leaves_silent_card_for(JobId id) const;
  // What will be free without them.
  Tentative gone_from(const Tentative& free) const;

 private:
  const StateView& state_;
  std::vector<Victim> going_;
};
// Where the job would be with `free`; nullopt: there is no room for it.
using FindRoom = std::function<std::optional<Grant>(const Tentative& free)>;
// No plan: nobody is to be moved for it. `given_up` says why the one that there was is not taken;
// kNothing: there was none.
struct RoomAnswer {
  std::optional<RoomPlan> plan;
  Stays given_up = Stays::kNothing;
};
// REQUIRES: the job found no room, also without `leavers`.
RoomAnswer plan_room(const StateView& state, const Tentative& free, const Leavers& leavers,
                     const Job& job, const FindRoom& find, Now now);
// Important enough for the place of a job that computes, by its band or by what the other has had.
bool outranks(const StateView& state, const Job& job, const Job& other, Now now);
// What the planner asks of everybody first: why `job` may not be moved aside for `for_job`.
// kNothing: it may, if there is a way.
Stays why_not_moved(const StateView& state, const Job& job, const Job& for_job, Now now);
// One that is over before it would be back, or sooner than it could do its work again, is waited
// for.
bool is_worth_moving(const StateView& state, const Candidate& one, Now now);
// Why `job` is not moved aside for `for_job`: these questions, and whether there is a way.
Stays why_stays(const StateView& state, const Job& job, const Job& for_job, Now now);
bool still_valid(const StateView& state, const Preempt& plan, Now now);

// How long the driver needs to get its victims out of the way.
Microseconds time_to_make(const StateView& state, const Preempt& plan);
}  // namespace gpusched
