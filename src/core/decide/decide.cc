#include "core/decide/decide.h"

#include <algorithm>
#include <set>

#include "core/admit/admission.h"
#include "core/admit/tentative.h"
#include "core/apply/learn.h"
#include "core/place/placement.h"
#include "core/preempt/over_quota.h"
#include "core/share/fair_share.h"
#include "core/share/quota.h"
#include "core/state/pending.h"

namespace gpusched {
namespace {

// No card can take the walk's shape, and nothing but a card will do.
bool fits_nowhere(const State& state, const PendingWalk& walk, const BestRoom& room) {
  if (!walk.needs_card()) return false;
  if (exceeds(walk.card_ask(), room)) return true;
  // Alone somewhere, a belief keeps no job from starting.
  if (!walk.card_ask().by_history || room.alone_bytes > 0) return false;
  return exceeds(card_ask_now(state, walk.shape().key), room);
}

int started(const auto& counts, const auto& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

Limited limited(const State& state, const Tentative& free, const Job& job, Now now) {
  const JobSpec& spec = *job.spec;
  const std::size_t at_once = state.active().size() + free.started.size();
  const int most = state.host().jobs_most;
  if (most > 0 && at_once >= static_cast<std::size_t>(most)) return Limited::kMachine;
  if (job.task && state.guarded(job.task->array)) return Limited::kGuard;
  if (!spec.group.empty()) {
    const auto group = state.groups().find(spec.group);
    const int limit = group == state.groups().end() ? 0 : group->second.limit;
    const int active =
        state.active_in_group(spec.group) + started(free.started_in_group, spec.group);
    if (limit > 0 && active >= limit) return Limited::kGroup;
  }
  if (job.task && spec.rare->array_limit > 0) {
    const int active =
        state.active_in_array(job.task->array) + started(free.started_in_array, job.task->array);
    if (active >= spec.rare->array_limit) return Limited::kArray;
  }
  if (quota_stop(state, free, job, now)) return Limited::kQuota;
  // It needs a directory, and its start a commit.
  if (state.disk_full()) return Limited::kDisk;
  return Limited::kNo;
}

namespace {

// Passes over a shape that its tenant's quota stops, and over all that the same quota stops with
// it. Such shapes are bounded for each tenant alone: they take nothing from the others.
void leave_to_quota(const State& state, const Tentative& free, const Job& job, Now now,
                    PendingWalk& walk) {
  const auto stop = quota_stop(state, free, job, now);
  if (stops_all(*stop) || walk.count_left_of_tenant() >= state.rules().shapes_scanned_most / 4) {
    walk.leave_tenant();
  } else if (stops_all_on_cards(*stop)) {
    walk.leave_tenant_cards();
  }
}

// Jobs for which room is made in one turn, and for which that is tried.
constexpr int kPlansMost = 4;
constexpr int kTriesMost = 16;

// Room for jobs that did not find any, by moving others aside.
class Rooms {
 public:
  Rooms(const State& state, Now now) : state_(state), now_(now) {
    for (const JobId id : state.aside()) owe(aside_of(*state.find(id))->for_job);
  }
  // Somebody has left, or leaves, for it: nobody takes that from it. Said once.
  bool owed(JobId id) { return owed_.erase(id) > 0; }
  bool any_owed() const { return !owed_.empty(); }
  // It may be worth a try for a job of this band.
  bool possible(int band) const {
    return plans_ < kPlansMost && tries_ < kTriesMost && may_make_room(state_, band);
  }
  // It has been seen to in this turn.
  bool made_for(JobId id) const { return made_.contains(id); }

  // True: it is, or will be, made, and nobody else gets it.
  bool make(const Job& job, const Reservation* reservation, Tentative& free, Decided& decided) {
    const FindRoom find = [&](const Tentative& then) {
      return place(state_, then, job, reservation, now_);
    };
    const auto grant = find_or_plan(job, find, free, decided);
    if (!grant) return false;
    free.keep(state_, job, *grant);
    made_.insert(job.id);
    decided.kept.push_back({job.id, 2 * band_rank(job.priority), *grant});
    return true;
  }
  // For one that was moved aside itself. Its place is kept for it by whoever calls.
  void make_for_return(const Job& job, const Reservation* reservation, Tentative& free,
                       Decided& decided) {
    if (!possible(band_rank(job.priority))) return;
    const FindRoom find = [&](const Tentative& then) -> std::optional<Grant> {
      if (!may_return(state_, then, job, reservation, now_)) return std::nullopt;
      return *grant_of(job);
    };
    find_or_plan(job, find, free, decided);
  }

 private:
  void owe(JobId id) {
    if (state_.pending().contains(id)) owed_.insert(id);
  }
  std::optional<Grant> find_or_plan(const Job& job, const FindRoom& find, Tentative& free,
                                    Decided& decided) {
    // Worked out when first asked for: most turns never do.
    if (!leavers_) leavers_.emplace(state_);
    std::optional<Grant> grant;
    if (!leavers_->none()) grant = find(leavers_->gone_from(free));
    if (grant || !possible(band_rank(job.priority))) return grant;
    ++tries_;
    auto plan = plan_room(state_, free, *leavers_, job, find, now_);
    if (!plan) return std::nullopt;
    ++plans_;
    leavers_->add(plan->decision, free);
    decided.decisions.emplace_back(std::move(plan->decision));
    return std::move(plan->grant);
  }

  const State& state_;
  Now now_;
  std::optional<Leavers> leavers_;
  std::set<JobId> owed_;
  std::set<JobId> made_;
  int plans_ = 0;
  int tries_ = 0;
};

// Who was moved aside, beside the walk through those that wait.
class Returns {
 public:
  Returns(const State& state, Now now) : state_(state), now_(now), frozen_(state) {
    if (!state.aside().empty()) waiting_ = waiting_aside(state, now);
  }
  // Those that go before the waiting jobs of this band, as far as there is room.
  void serve(int band, Tentative& free, Rooms& rooms, Decided& decided) {
    while (next_ < waiting_.size() && waiting_[next_].before <= 2 * band) {
      const Waiting& one = waiting_[next_++];
      serve_one(*one.job, one.before, free, rooms, decided);
    }
  }

 private:
  void serve_one(const Job& job, int before, Tentative& free, Rooms& rooms, Decided& decided) {
    if (!served_.insert(job.id).second) return;
    const Reservation* reservation = decided.reservation ? &*decided.reservation : nullptr;
    if (may_return(state_, free, job, reservation, now_)) {
      decided.decisions.emplace_back(Return{job.id});
    } else if (stands_still(job)) {
      return;  // Its place is its own.
    } else {
      // Whoever stands on its card and keeps its memory there goes on before it: it could wait for
      // nothing else.
      for (const Job* other : frozen_.in_the_way_of(job)) {
        serve_one(*other, before, free, rooms, decided);
      }
      if (!frozen_.has_an_end(job)) return;
      rooms.make_for_return(job, reservation, free, decided);
    }
    // On its way or not: its place is taken.
    keep_its_place(state_, job, free);
    decided.kept.push_back({job.id, before, {}});
  }

  const State& state_;
  Now now_;
  std::vector<Waiting> waiting_;
  std::size_t next_ = 0;
  std::set<JobId> served_;
  FrozenJobs frozen_;
};

// Once through the queue in order. True if something passed the reservation: what is left may
// then be planned differently, so the queue is looked at again.
bool pass_through(const State& state, const Standings& standings, Tentative& free, Decided& decided,
                  Returns& returns, Rooms& rooms, Now now) {
  PendingWalk walk(state.pending(), standings);
  std::size_t shapes_left_behind = 0;
  bool passed_by = false;
  decided.reservation.reset();
  BestRoom room = best_room(state.cards(), free.cards, state.rules());
  BestRoom beside = room;  // Of it, what the reservation leaves.
  const auto exhausted = [&] { return room.none() && free.host.cpus >= state.host().cpus; };
  bool closely = true;  // From here on a job may get what is not free now.
  while (shapes_left_behind < state.rules().shapes_scanned_most) {
    // The first that waits is reserved for and so must be met, also where no card has room.
    const bool nobody_passes = beside.none() && decided.reservation && !decided.reservation->start;
    if (decided.reservation && !closely && (room.none() || nobody_passes)) walk.leave_cards();
    if (decided.reservation && !closely) {
      // Most of a long queue needs no closer look. Where nobody knows when the first in order
      // starts, nothing is over by then.
      const bool beside_it = !decided.reservation->start && state.card_bookings().empty();
      const BestRoom& offered = beside_it ? beside : room;
      shapes_left_behind +=
          walk.leave_while([&](const CardAsk& ask) { return exceeds(ask, offered); },
                           state.rules().shapes_scanned_most - shapes_left_behind);
      if (shapes_left_behind == state.rules().shapes_scanned_most) break;
    }
    const OrderKey* key = walk.next();
    if (key == nullptr) break;
    const bool owed = rooms.owed(key->job);
    const bool can_make_room = owed || rooms.possible(key->band);
    closely = can_make_room || rooms.any_owed();
    if (exhausted() && !closely) break;
    returns.serve(key->band, free, rooms, decided);
    if (decided.reservation && !can_make_room && fits_nowhere(state, walk, room)) {
      ++shapes_left_behind;
      continue;
    }
    const Job& job = *state.find(key->job);
    // Who has cards kept for oneself need not leave them to the first in order.
    if (decided.reservation && !can_make_room && state.card_bookings().empty() &&
        fits_nowhere(state, walk, beside) && !over_by(state, *decided.reservation, job, now)) {
      ++shapes_left_behind;
      continue;
    }
    if (free.has_started(job.id) || rooms.made_for(job.id)) {
      walk.take();
      continue;
    }
    const Limited limit = limited(state, free, job, now);
    if (limit == Limited::kQuota) {
      leave_to_quota(state, free, job, now, walk);
      continue;
    }
    if (limit != Limited::kNo) {
      ++shapes_left_behind;
      continue;  // The whole shape has the same limit.
    }
    const Reservation* reservation = decided.reservation && !owed ? &*decided.reservation : nullptr;
    std::optional<Grant> grant;
    if (!fits_nowhere(state, walk, room)) grant = place(state, free, job, reservation, now);
    if (!grant && can_make_room && rooms.make(job, reservation, free, decided)) {
      room = best_room(state.cards(), free.cards, state.rules());
      beside = decided.reservation ? room_beside(state, free, *decided.reservation) : room;
      walk.take();
      continue;
    }
    if (!grant) {
      // Cards kept free for a job that its quota keeps off would help nobody.
      if (!decided.reservation && !kept_off_by_quota(state, free, job, now)) {
        decided.reservation = reserve_for(state, free, job, now);
        beside = room_beside(state, free, *decided.reservation);
      }
      ++shapes_left_behind;
      continue;
    }
    if (decided.reservation) {
      passed_by = true;
      reservation = &*decided.reservation;
      if (!over_by(state, *reservation, job, now)) stays(state, *decided.reservation, *grant);
    }
    free.take(state, job, *grant);
    room = best_room(state.cards(), free.cards, state.rules());
    beside = decided.reservation ? room_beside(state, free, *decided.reservation) : room;
    if (!job.spec->group.empty()) ++free.started_in_group[job.spec->group];
    if (job.task) ++free.started_in_array[job.task->array];
    decided.decisions.emplace_back(Start{job.id, std::move(*grant)});
    walk.take();
  }
  return passed_by;
}

}  // namespace

Decided decide(const State& state, Now now) {
  Decided decided;
  const std::vector<Evict> evicted = relieve(state, now);
  for (const Evict& evict : evicted) decided.decisions.emplace_back(evict);
  for (const StandStill& stop : hold_growing(state, evicted, now)) {
    decided.decisions.emplace_back(stop);
  }
  for (MakeRoom& plan : relieve_quotas(state, now)) decided.decisions.emplace_back(std::move(plan));
  Tentative free(state);
  const Standings standings = standings_of(state, now);
  // Ends: every further pass has started at least one job.
  Returns returns(state, now);
  Rooms rooms(state, now);
  while (pass_through(state, standings, free, decided, returns, rooms, now)) continue;
  returns.serve(static_cast<int>(kBands), free, rooms, decided);
  return decided;
}

Tentative left_beside(const State& state, const std::vector<KeptPlace>& kept, int band) {
  Tentative left(state);
  for (const KeptPlace& place : kept) {
    if (place.before > 2 * band) continue;
    const Job& job = *state.find(place.job);
    if (aside_of(job) != nullptr) {
      keep_its_place(state, job, left);
    } else {
      left.keep(state, job, place.grant);
    }
  }
  return left;
}

bool still_valid(const State& state, const Start& start, Now now) {
  if (!state.pending().contains(start.job)) return false;
  const Tentative free = Tentative::of_nothing(state);
  const Job& job = *state.find(start.job);
  if (limited(state, free, job, now) != Limited::kNo) return false;
  if (!within_quota(state, free, job, start.grant, now)) return false;
  for (const CardGrant& wanted : start.grant.cards) {
    const auto position = state.index_of(wanted.card);
    if (!position) return false;
    if (!fits_on(state.cards()[*position], state.holds_on(*position), wanted, state.rules())) {
      return false;
    }
  }
  return state.host_holds().cpus + start.grant.cpus <= state.host().cpus &&
         state.host_holds().ram_bytes + start.grant.ram_bytes <= state.host().ram_bytes;
}

}  // namespace gpusched
