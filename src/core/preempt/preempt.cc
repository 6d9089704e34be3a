#include "core/preempt/preempt.h"

#include <algorithm>
#include <tuple>

#include "core/admit/admission.h"
#include "core/backfill/backfill.h"
#include "core/model/host_margin.h"
#include "core/model/kind.h"
#include "core/preempt/attained_level.h"
#include "core/preempt/idle_holder.h"
#include "core/preempt/move_time.h"
#include "core/preempt/over_quota.h"
#include "core/preempt/resume.h"
#include "core/preempt/silent_card.h"
#include "core/share/quota.h"
#include "core/state/belief.h"
#include "core/state/run_time.h"

namespace gpusched {
namespace {

// A plan with more victims than this is no plan.
constexpr std::size_t kVictimsMost = 64;

// What a plan costs; the smaller is the better one.
struct Harm {
  int most_important = 0;  // Negated rank of the most important victim.
  Microseconds lost{0};
  Microseconds moving{0};
  int moves = 0;
  std::size_t victims = 0;
  friend auto operator<=>(const Harm&, const Harm&) = default;
};

Harm harm_of_all(const std::vector<const Candidate*>& chosen) {
  Harm harm{.most_important = -static_cast<int>(kBands), .victims = chosen.size()};
  for (const Candidate* one : chosen) {
    harm.most_important = std::max(harm.most_important, -band_rank(one->job->priority));
    harm.lost += one->lost;
    harm.moving += one->moving;
    harm.moves += one->job->moves;
  }
  return harm;
}

bool may_be_moved(const StateView& state, const Job& job, const Job& for_job, Now now) {
  return why_not_moved(state, job, for_job, now) == Stays::kNothing;
}

// Takes what the victim frees out of what is held. Not counted: what it will have in host RAM.
void leave_room(const StateView& state, const Job& job, Mechanism how, Tentative& free) {
  const Grant& grant = *grant_of(job);
  const bool freeze = how == Mechanism::kFreeze;
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    if (!position) continue;
    CardHolds& holds = free.cards[*position];
    if (!freeze) {
      take_away(state, job, held, holds);
      continue;
    }
    holds.ungranted.jobs_load_percent -= ungranted_of(state, job, held.card).jobs_load_percent;
    holds.share_percent -= held.share_percent;
  }
  free.host.cpus -= grant.cpus;
  if (how == Mechanism::kCooperative || how == Mechanism::kRequeue) {
    free.host.ram_bytes -= grant.ram_bytes;
  }
}

class Planner {
 public:
  Planner(const StateView& state, const Tentative& free, const Leavers& leavers, const Job& job,
          const FindRoom& find, Now now)
      : state_(state),
        free_(leavers.gone_from(free)),
        ram_free_(ram_for_moves(state, free_.host)),
        job_(job),
        find_(find),
        now_(now) {
    for (const JobId id : state.active()) {
      const Job& other = *state.find(id);
      if (leavers.contains(id) || !may_be_moved(state, other, job, now)) continue;
      candidates_.push_back({.job = &other, .victim = {.job = id}});
    }
  }
  bool nobody() const { return candidates_.empty(); }

  // Compute alone is what is lacking: whoever is frozen loses nothing and moves nothing.
  std::optional<RoomPlan> by_freezing() const {
    if (state_.rules().preemption != Preemption::kAuto) return std::nullopt;
    std::vector<Candidate> frozen;
    for (Candidate one : candidates_) {
      const Grant& grant = *grant_of(*one.job);
      const bool whole = std::ranges::any_of(grant.cards, &CardGrant::whole);
      if (whole || one.job->spec->preempt == PreemptPolicy::kCooperative) continue;
      if (!kind_of(*one.job).may_freeze) continue;
      // A client that stands still may keep its server, and with it its neighbours, waiting.
      if (grant.mps) continue;
      one.victim.mechanism = Mechanism::kFreeze;
      frozen.push_back(one);
    }
    return best_of(frozen);
  }
  std::optional<RoomPlan> by_leaving() const {
    std::vector<Candidate> leaving;
    for (const Candidate& one : candidates_) {
      const auto going = leaving_candidate(state_, *one.job, ram_free_, now_);
      if (going && is_worth_moving(state_, *going, now_)) leaving.push_back(*going);
    }
    return best_of(leaving);
  }

 private:
  std::optional<Grant> place_without(const std::vector<const Candidate*>& gone) const {
    Tentative then = free_;
    std::uint64_t moved = 0;
    for (const Candidate* one : gone) {
      leave_room(state_, *one->job, one->victim.mechanism, then);
      moved += one->victim.bytes;
    }
    if (with_margin(moved) > ram_free_) return std::nullopt;
    then.host.ram_bytes += moved;
    return find_(then);
  }

  struct Choice {
    std::vector<const Candidate*> victims;
    Grant grant;
  };
  // The least harmful first, until there is room; then without those that turn out not to matter.
  std::optional<Choice> least_of(const std::vector<const Candidate*>& group) const {
    Choice choice;
    std::optional<Grant> grant;
    std::uint64_t moved = 0;
    for (const Candidate* one : group) {
      if (choice.victims.size() == kVictimsMost) return std::nullopt;
      choice.victims.push_back(one);
      moved += one->victim.bytes;
      // Host RAM does not take them all: the later ones free more than the first did.
      while (choice.victims.size() > 1 && with_margin(moved) > ram_free_) {
        moved -= choice.victims.front()->victim.bytes;
        choice.victims.erase(choice.victims.begin());
      }
      grant = place_without(choice.victims);
      if (grant) break;
    }
    if (!grant) return std::nullopt;
    for (std::size_t i = choice.victims.size(); i-- > 0 && choice.victims.size() > 1;) {
      std::vector<const Candidate*> fewer = choice.victims;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (auto still = place_without(fewer)) {
        choice.victims = std::move(fewer);
        grant = std::move(still);
      }
    }
    choice.grant = std::move(*grant);
    return choice;
  }

  std::optional<RoomPlan> best_of(std::vector<Candidate>& all) const {
    std::ranges::sort(all, less_harm);
    std::vector<std::vector<const Candidate*>> groups;
    const CardCount& cards = job_.spec->needs.gpus;
    if (cards.least <= 1 && !cards.all()) {
      for (const Card& card : state_.cards()) {
        auto& group = groups.emplace_back();
        for (const Candidate& one : all) {
          if (given_on(*one.job, card.number) != nullptr) group.push_back(&one);
        }
      }
    } else {
      auto& group = groups.emplace_back();
      for (const Candidate& one : all) group.push_back(&one);
    }
    std::optional<Choice> best;
    for (const auto& group : groups) {
      auto choice = least_of(group);
      if (!choice) continue;
      if (!best || harm_of_all(choice->victims) < harm_of_all(best->victims)) {
        best = std::move(choice);
      }
    }
    if (!best) return std::nullopt;
    RoomPlan plan{.decision = {.for_job = job_.id, .victims = {}}, .grant = std::move(best->grant)};
    for (const Candidate* one : best->victims) plan.decision.victims.push_back(one->victim);
    return plan;
  }

  const StateView& state_;
  const Tentative free_;  // Without those that are leaving already.
  const std::uint64_t ram_free_;
  const Job& job_;
  const FindRoom& find_;
  Now now_;
  std::vector<Candidate> candidates_;
};

// The job would start by itself before the room is made.
bool comes_too_late(const StateView& state, const Tentative& free, const Job& job,
                    const RoomPlan& plan, Now now) {
  const ReservedStart waits = reserve_start_for(state, free, job, now);
  if (!waits.start) return false;
  return *waits.start - now.wall <= time_to_make(state, plan.decision);
}

}  // namespace

bool is_worth_moving(const StateView& state, const Candidate& one, Now now) {
  const Wall end = end_of(state, *one.job, now, Trust::kEstimates);
  if (end == kNobodyKnows) return true;
  switch (one.victim.mechanism) {
    case Mechanism::kCheckpoint:
      return end - now.wall > 2 * one.moving;
    case Mechanism::kCooperative:
      return end - now.wall > one.job->spec->saves->grace;
    case Mechanism::kRequeue:
      return end - now.wall > one.lost;
    case Mechanism::kFreeze:
      break;
  }
  return true;
}

bool outranks(const StateView& state, const Job& job, const Job& other, Now now) {
  const int rank = band_rank(other.priority);
  const int for_band = band_rank(job.priority);
  if (rank >= for_band + state.rules().room.distance) return true;
  return rank == for_band && attained_level(state, other, now) > attained_level(state, job, now);
}

Microseconds time_to_make(const StateView& state, const Preempt& plan) {
  Microseconds time{0};
  for (const Victim& victim : plan.victims) {
    if (victim.mechanism != Mechanism::kCheckpoint) continue;
    time += time_out(state, *state.find(victim.job), victim.bytes);
  }
  return time;
}

bool may_make_room(const StateView& state, int band) {
  const RoomRules& rules = state.rules().room;
  if (state.rules().preemption == Preemption::kOff) return false;
  if (rules.idle_after > Seconds{0} && !state.active().empty()) return true;
  return state.any_active_below(rules.timeshare ? band - 1 : band + rules.distance - 1);
}

Leavers::Leavers(const StateView& state) : state_(state) {
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    const auto* running = std::get_if<Running>(&job.state);
    if (running == nullptr || stands_still(job)) continue;
    const Aside* aside = aside_of(job);
    if (aside != nullptr && aside->phase == AsidePhase::kPausing) {
      going_.push_back({id, aside->mechanism, aside->host_bytes});
    } else if (running->stopping == StopReason::kLetGo) {
      continue;  // It goes on there, as nobody's job.
    } else if (running->stopping != StopReason::kNone && aside == nullptr) {
      going_.push_back({id, Mechanism::kRequeue, 0});
    }
  }
}

bool Leavers::contains(JobId id) const {
  return std::ranges::find(going_, id, &Victim::job) != going_.end();
}

bool Leavers::any_waits_before(const Job& job, const Grant& grant) const {
  return std::ranges::any_of(going_, [&](const Victim& one) {
    if (one.mechanism != Mechanism::kCheckpoint && one.mechanism != Mechanism::kFreeze)
      return false;
    const Job& leaving = *state_.find(one.job);
    if (band_rank(leaving.priority) > band_rank(job.priority)) return false;
    return std::ranges::any_of(grant.cards, [&](const CardGrant& wanted) {
      return given_on(leaving, wanted.card) != nullptr;
    });
  });
}

bool Leavers::any_leaves_silent_card_for(JobId id) const {
  return std::ranges::any_of(going_, [&](const Victim& one) {
    const Job& job = *state_.find(one.job);
    const Aside* aside = aside_of(job);
    const auto* running = std::get_if<Running>(&job.state);
    const bool for_it =
        aside != nullptr ? aside->for_job == id : running != nullptr && running->leaves_for == id;
    return for_it && std::ranges::any_of(grant_of(job)->cards, [&](const CardGrant& held) {
             const auto position = state_.index_of(held.card);
             return position && is_silent(state_, *position);
           });
  });
}

void Leavers::add(const Preempt& plan, Tentative& free) {
  for (const Victim& victim : plan.victims) {
    going_.push_back(victim);
    free.host.ram_bytes += victim.bytes;
  }
}

Tentative Leavers::gone_from(const Tentative& free) const {
  Tentative then = free;
  for (const Victim& one : going_) leave_room(state_, *state_.find(one.job), one.mechanism, then);
  return then;
}

RoomAnswer plan_room(const StateView& state, const Tentative& free, const Leavers& leavers,
                     const Job& job, const FindRoom& find, Now now) {
  if (!job.spec->needs.wants_cards()) return {};
  if (leavers.any_leaves_silent_card_for(job.id)) return {};
  Planner planner(state, free, leavers, job, find, now);
  if (planner.nobody()) return {};
  auto plan = planner.by_freezing();
  if (!plan) plan = planner.by_leaving();
  if (!plan) return {};
  if (leavers.any_waits_before(job, plan->grant)) return {{}, Stays::kOthersReturn};
  if (may_fit_where_it_is_silent(state, leavers.gone_from(free), job, now)) {
    return {{}, Stays::kCardSilent};
  }
  const bool waits = state.pending().contains(job.id);
  if (waits && comes_too_late(state, free, job, *plan, now)) return {{}, Stays::kStartsSooner};
  return {std::move(plan), Stays::kNothing};
}

bool still_valid(const StateView& state, const Preempt& plan, Now now) {
  // Another move of this turn may have taken the host RAM.
  std::uint64_t bytes = 0;
  for (const Victim& victim : plan.victims) bytes += victim.bytes;
  if (with_margin(bytes) > ram_for_moves(state, state.host_holds())) return false;
  if (plan.for_job == JobId{}) return still_over_quota(state, plan, now);
  const Job* job = state.find(plan.for_job);
  if (job == nullptr) return false;
  if (!state.pending().contains(plan.for_job) && !waits_aside(*job)) return false;
  return std::ranges::all_of(plan.victims, [&](const Victim& victim) {
    const Job* other = state.find(victim.job);
    return other != nullptr && may_be_moved(state, *other, *job, now);
  });
}

}  // namespace gpusched
