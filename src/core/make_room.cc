#include "core/make_room.h"

#include <algorithm>
#include <tuple>

#include "core/admission.h"
#include "core/learn.h"
#include "core/move_time.h"
#include "core/over_quota.h"
#include "core/placement.h"
#include "core/policy/timeshare.h"
#include "core/quota.h"
#include "core/reservation.h"
#include "core/run_time.h"

namespace gpusched {
namespace {

// A plan with more victims than this is no plan.
constexpr std::size_t kVictimsMost = 32;

// What a plan costs; the smaller is the better one.
auto harm_of(const Candidate& one) {
  return std::tuple(-band_rank(one.job->priority), one.lost, one.moving, one.job->moves,
                    -number_of(one.job->id));
}

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

bool refuses_moves(const State& state, const Job& job) {
  for (const auto& [key, known] : state.estimates().of(job.signature)) {
    if (known.past.refuses_moves) return true;
  }
  return false;
}

bool on_movable_cards(const State& state, const Job& job) {
  const Grant& grant = *grant_of(job);
  return std::ranges::all_of(grant.cards, [&](const CardGrant& held) {
    const auto position = state.index_of(held.card);
    return position && state.cards()[*position].moves;
  });
}

// It has been on its cards for long enough to be moved.
bool has_had_its_turn(const RoomRules& rules, const Running& running, Now now) {
  if (running.aside && now.wall - running.aside->since < rules.cool_down) return false;
  return ran_for(running, now.wall) >= rules.run_least;
}

// It holds VRAM and has not used its cards for as long as the rules bear.
bool sits_idle(const State& state, const Job& job, Now now) {
  const Seconds limit = state.rules().room.idle_after;
  if (limit == Seconds{0}) return false;
  bool seen = false;
  for (const CardGrant& held : grant_of(job)->cards) {
    const auto position = state.index_of(held.card);
    if (!position) return false;
    for (const SeenProcess& process : state.view_of(*position).processes) {
      if (process.attempt != job.current_attempt()) continue;
      seen = true;
      if (!process.idle_since || now.wall - *process.idle_since < limit) return false;
    }
  }
  return seen;
}

bool may_be_moved(const State& state, const Job& job, const Job& for_job, Now now) {
  if (!is_movable(state, job, now)) return false;
  const int rank = band_rank(job.priority);
  const int for_band = band_rank(for_job.priority);
  if (rank >= for_band + state.rules().room.distance) return true;
  if (sits_idle(state, job, now)) return true;
  return rank == for_band && attained_level(state, job, now) > attained_level(state, for_job, now);
}

// What the driver copies takes a little more than it was.
bool ram_takes(std::uint64_t bytes, std::uint64_t ram_free) {
  return bytes + bytes / 20 <= ram_free;
}

std::uint64_t bytes_of(const std::vector<const Candidate*>& gone) {
  std::uint64_t bytes = 0;
  for (const Candidate* one : gone) bytes += one->victim.bytes;
  return bytes;
}

// Takes what the victim frees out of what is held.
void leave_room(const State& state, const Candidate& one, bool freeze, Tentative& free) {
  const Grant& grant = *grant_of(*one.job);
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    if (!position) continue;
    CardHolds& holds = free.cards[*position];
    const Beyond own = beyond_of(state, *one.job, held.card);
    holds.beyond.jobs_load_percent -= own.jobs_load_percent;
    if (freeze) {
      holds.share_percent -= held.share_percent;
      continue;
    }
    drop(holds, held);
    holds.beyond.vram_bytes -= std::min(holds.beyond.vram_bytes, own.vram_bytes);
  }
  free.host.cpus -= grant.cpus;
  if (freeze) return;
  if (one.victim.mechanism == Mechanism::kCheckpoint) {
    free.host.ram_bytes += one.victim.bytes;
  } else {
    free.host.ram_bytes -= grant.ram_bytes;
  }
}

class Planner {
 public:
  Planner(const State& state, const Tentative& free, const Job& job, Now now)
      : state_(state), free_(free), job_(job), now_(now) {
    for (const JobId id : state.active()) {
      const Job& other = *state.find(id);
      if (!may_be_moved(state, other, job, now) || other.spec->preempt == PreemptPolicy::kNever) {
        continue;
      }
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
      one.victim.mechanism = Mechanism::kFreeze;
      frozen.push_back(one);
    }
    return best_of(frozen, true);
  }
  std::optional<RoomPlan> by_leaving() const {
    const std::uint64_t ram = ram_for_moves(state_, free_.host);
    std::vector<Candidate> leaving;
    for (const Candidate& one : candidates_) {
      const auto going = leaving_candidate(state_, *one.job, ram, now_);
      if (!going) continue;
      const bool moves = going->victim.mechanism == Mechanism::kCheckpoint;
      if (moves && !is_worth_moving(*going)) continue;
      leaving.push_back(*going);
    }
    return best_of(leaving, false);
  }

 private:
  // One that is over before it would be back is waited for.
  bool is_worth_moving(const Candidate& one) const {
    const Wall end = end_of(state_, *one.job, now_, Trust::kEstimates);
    return end == kNobodyKnows || end - now_.wall > 2 * one.moving;
  }

  std::optional<Grant> place_without(const std::vector<const Candidate*>& gone, bool freeze) const {
    Tentative then = free_;
    for (const Candidate* one : gone) leave_room(state_, *one, freeze, then);
    if (!freeze && !ram_takes(bytes_of(gone), ram_for_moves(state_, free_.host))) {
      return std::nullopt;
    }
    return place(state_, then, job_, nullptr, now_);
  }

  struct Choice {
    std::vector<const Candidate*> victims;
    Grant grant;
  };
  // The least harmful first, until there is room; then without those that turn out not to matter.
  std::optional<Choice> least_of(const std::vector<const Candidate*>& group, bool freeze) const {
    Choice choice;
    std::optional<Grant> grant;
    for (const Candidate* one : group) {
      if (choice.victims.size() == kVictimsMost) return std::nullopt;
      choice.victims.push_back(one);
      grant = place_without(choice.victims, freeze);
      if (grant) break;
    }
    if (!grant) return std::nullopt;
    for (std::size_t i = choice.victims.size(); i-- > 0 && choice.victims.size() > 1;) {
      std::vector<const Candidate*> fewer = choice.victims;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (auto still = place_without(fewer, freeze)) {
        choice.victims = std::move(fewer);
        grant = std::move(still);
      }
    }
    choice.grant = std::move(*grant);
    return choice;
  }

  std::optional<RoomPlan> best_of(std::vector<Candidate>& all, bool freeze) const {
    std::ranges::sort(all, {}, [](const Candidate& one) { return harm_of(one); });
    std::vector<std::vector<const Candidate*>> groups;
    if (job_.spec->needs.gpus.least <= 1) {
      for (const Card& card : state_.cards()) {
        auto& group = groups.emplace_back();
        for (const Candidate& one : all) {
          const auto& held = grant_of(*one.job)->cards;
          if (std::ranges::find(held, card.number, &CardGrant::card) != held.end()) {
            group.push_back(&one);
          }
        }
      }
    } else {
      auto& group = groups.emplace_back();
      for (const Candidate& one : all) group.push_back(&one);
    }
    std::optional<Choice> best;
    for (const auto& group : groups) {
      auto choice = least_of(group, freeze);
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

  const State& state_;
  const Tentative& free_;
  const Job& job_;
  Now now_;
  std::vector<Candidate> candidates_;
};

// The job would start by itself before the room is made.
bool comes_too_late(const State& state, const Tentative& free, const Job& job, const RoomPlan& plan,
                    Now now) {
  const Reservation waits = reserve_for(state, free, job, now);
  if (!waits.start) return false;
  return *waits.start - now.wall <= time_to_make(state, plan.decision);
}

}  // namespace

Microseconds time_to_make(const State& state, const MakeRoom& plan) {
  Microseconds time{0};
  for (const Victim& victim : plan.victims) {
    if (victim.mechanism != Mechanism::kCheckpoint) continue;
    time += time_out(state, *state.find(victim.job), victim.bytes);
  }
  return time;
}

std::uint64_t vram_in_use(const State& state, const Job& job) {
  std::uint64_t bytes = 0;
  for (const CardGrant& held : grant_of(job)->cards) {
    const CardUse* use = state.uses().on_card(job.current_attempt(), held.card);
    // Nobody has looked yet: all that it may have.
    bytes += use != nullptr ? use->vram_bytes : held.vram_bytes;
  }
  return bytes;
}

std::uint64_t ram_for_moves(const State& state, const HostHolds& holds) {
  const std::uint64_t taken = holds.ram_bytes + state.rules().room.ram_reserve_bytes;
  return state.host().ram_bytes - std::min(taken, state.host().ram_bytes);
}

bool less_harm(const Candidate& a, const Candidate& b) { return harm_of(a) < harm_of(b); }

bool is_movable(const State& state, const Job& job, Now now) {
  const auto* running = std::get_if<Running>(&job.state);
  if (running == nullptr || running->stopping != StopReason::kNone || job.spec->lease) return false;
  if (aside_phase(job) != AsidePhase::kHere) return false;
  const RoomRules& rules = state.rules().room;
  return job.moves < rules.moves_most && !running->grant.cards.empty() &&
         has_had_its_turn(rules, *running, now);
}

std::optional<Candidate> leaving_candidate(const State& state, const Job& job,
                                           std::uint64_t ram_free, Now now) {
  const auto way = way_out(state, job, ram_free);
  if (!way) return std::nullopt;
  Candidate one{.job = &job, .victim = {.job = job.id, .mechanism = *way}};
  if (*way == Mechanism::kCheckpoint) {
    one.victim.bytes = vram_in_use(state, job);
    one.moving = time_out(state, job, one.victim.bytes) + time_back(state, job, one.victim.bytes);
  }
  if (*way == Mechanism::kRequeue) one.lost = ran_for(std::get<Running>(job.state), now.wall);
  return one;
}

bool can_checkpoint(const State& state, const Job& job, std::uint64_t ram_free) {
  const std::uint64_t bytes = vram_in_use(state, job);
  return !grant_of(job)->cards.empty() && on_movable_cards(state, job) &&
         !refuses_moves(state, job) && ram_takes(bytes, ram_free);
}

std::optional<Mechanism> way_out(const State& state, const Job& job, std::uint64_t ram_free) {
  const Preemption allowed = state.rules().preemption;
  if (allowed == Preemption::kOff || job.spec->preempt == PreemptPolicy::kNever) {
    return std::nullopt;
  }
  if (job.spec->saves) return Mechanism::kCooperative;
  if (allowed == Preemption::kCooperative || job.spec->preempt == PreemptPolicy::kCooperative) {
    return std::nullopt;
  }
  if (can_checkpoint(state, job, ram_free)) return Mechanism::kCheckpoint;
  if (job.spec->restartable) return Mechanism::kRequeue;
  return std::nullopt;
}

bool may_make_room(const State& state, int band) {
  const RoomRules& rules = state.rules().room;
  if (state.rules().preemption == Preemption::kOff) return false;
  if (rules.idle_after > Seconds{0} && !state.active().empty()) return true;
  return state.any_active_below(rules.timeshare ? band - 1 : band + rules.distance - 1);
}

int attained_level(const State& state, const Job& job, Now now) {
  const auto* running = std::get_if<Running>(&job.state);
  if (!state.rules().room.timeshare || running == nullptr) return 0;
  const int cards = static_cast<int>(std::max<std::size_t>(1, running->grant.cards.size()));
  return policy::timeshare_level(ran_for(*running, now.wall), cards);
}

std::optional<RoomPlan> plan_room(const State& state, const Tentative& free, const Job& job,
                                  Now now) {
  if (!job.spec->needs.wants_cards() || job.spec->needs.gpus.all()) return std::nullopt;
  Planner planner(state, free, job, now);
  if (planner.nobody()) return std::nullopt;
  auto plan = planner.by_freezing();
  if (!plan) plan = planner.by_leaving();
  if (plan && comes_too_late(state, free, job, *plan, now)) plan.reset();
  return plan;
}

std::optional<Grant> room_under_way(const State& state, const Tentative& free, const Job& job,
                                    Now now) {
  Tentative then = free;
  bool any = false;
  for (const JobId id : state.active()) {
    const Job& other = *state.find(id);
    const auto* running = std::get_if<Running>(&other.state);
    if (running == nullptr) continue;
    const Aside* aside = running->aside.get();
    const bool moves = aside != nullptr && aside->phase == AsidePhase::kPausing;
    const bool stops = running->stopping == StopReason::kMakeRoom;
    if (!moves && !stops) continue;
    if ((moves ? aside->for_job : running->leaves_for) != job.id) continue;
    any = true;
    Candidate one{.job = &other, .victim = {.job = id}};
    // What goes to host RAM counts there already.
    if (moves) one.victim.mechanism = aside->mechanism;
    leave_room(state, one, moves && aside->mechanism == Mechanism::kFreeze, then);
  }
  if (!any) return std::nullopt;
  return place(state, then, job, nullptr, now);
}

std::uint64_t bytes_to_move(const MakeRoom& plan) {
  std::uint64_t bytes = 0;
  for (const Victim& victim : plan.victims) bytes += victim.bytes;
  return bytes;
}

bool still_valid(const State& state, const MakeRoom& plan, Now now) {
  // Another move of this turn may have taken the host RAM.
  const std::uint64_t bytes = bytes_to_move(plan);
  if (bytes > 0 && !ram_takes(bytes, ram_for_moves(state, state.host_holds()))) return false;
  if (plan.for_job == JobId{}) return still_over_quota(state, plan, now);
  const Job* job = state.find(plan.for_job);
  if (job == nullptr || !state.pending().contains(plan.for_job)) return false;
  return std::ranges::all_of(plan.victims, [&](const Victim& victim) {
    const Job* other = state.find(victim.job);
    return other != nullptr && may_be_moved(state, *other, *job, now);
  });
}

}  // namespace gpusched
