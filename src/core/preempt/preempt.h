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
#include "core/state/state.h"

namespace gpusched {

struct Victim {
  JobId job{};
  Mechanism mechanism = Mechanism::kFreeze;
  std::uint64_t bytes = 0;  // To be moved to host RAM.
  bool idle = false;        // It does not use what it has, and is awake while it is aside.
};
// Data, like every decision.
struct MakeRoom {
  JobId for_job{};
  std::vector<Victim> victims;
};
struct RoomPlan {
  MakeRoom decision;
  Grant grant;  // What the job will get.
};

// How much of the cards it has had so far; see policy/timeshare.h. 0 without that rule.
int attained_level(const State& state, const Job& job, Now now);

// One who could go, and what that costs.
struct Candidate {
  const Job* job = nullptr;
  Victim victim;
  Microseconds lost{0};    // Work that is done again.
  Microseconds moving{0};  // Out and back, at the rates of its cards.
};
bool less_harm(const Candidate& a, const Candidate& b);
// When it has been on its cards for long enough to be moved.
Wall movable_from(const State& state, const Running& running, Now now);
// On its cards, for long enough and not moved too often.
bool is_settled(const State& state, const Job& job, Now now);
// A job that could be moved if somebody deserved its place.
bool is_movable(const State& state, const Job& job, Now now);
// By the way that frees its cards; nullopt: there is none.
std::optional<Candidate> leaving_candidate(const State& state, const Job& job,
                                           std::uint64_t ram_free, Now now);

// Cheap: false if nobody could be moved for a job of this band.
bool may_make_room(const State& state, int band);
// Those that are on their way out, by whatever way and for whomever: nobody else is moved for a
// job that will find room when they are gone.
class Leavers {
 public:
  explicit Leavers(const State& state);
  bool none() const { return going_.empty(); }
  bool contains(JobId id) const;
  // By a decision of this turn. What they will have in host RAM is taken from `free` at once.
  void add(const MakeRoom& plan, Tentative& free);
  // What will be free without them.
  Tentative gone_from(const Tentative& free) const;

 private:
  const State& state_;
  std::vector<Victim> going_;
};
// Where the job would be with `free`; nullopt: there is no room for it.
using FindRoom = std::function<std::optional<Grant>(const Tentative& free)>;
// Nullopt: nobody is to be moved for it. REQUIRES: the job found no room, also without `leavers`.
std::optional<RoomPlan> plan_room(const State& state, const Tentative& free, const Leavers& leavers,
                                  const Job& job, const FindRoom& find, Now now);
bool still_valid(const State& state, const MakeRoom& plan, Now now);

// Its driver can move it (never a client of MPS), and host RAM can take what it has on its cards.
bool can_checkpoint(const State& state, const Job& job, std::uint64_t ram_free);
// How the job would leave its cards with its VRAM, by its own wish and the rules. Nullopt: not at
// all. `ram_free`: what of host RAM may take what it has there.
std::optional<Mechanism> way_out(const State& state, const Job& job, std::uint64_t ram_free);
// What it has on its cards, as far as that was seen.
std::uint64_t vram_in_use(const State& state, const Job& job);
// How long the driver needs to get its victims out of the way.
Microseconds time_to_make(const State& state, const MakeRoom& plan);
// Host RAM that may take what jobs have on cards.
std::uint64_t ram_for_moves(const State& state, const HostHolds& holds);

}  // namespace gpusched
