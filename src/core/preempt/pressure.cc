#include "core/preempt/pressure.h"

#include <algorithm>
#include <tuple>

#include "core/admit/admission.h"
#include "core/model/kind.h"
#include "core/preempt/move_time.h"
#include "core/preempt/victim.h"
#include "core/state/pending.h"

namespace gpusched {
namespace {

// From a look to the moment at which whoever grows has been stopped, with some to spare.
constexpr double kReaction = 1.5;
// A driver that takes longer than this over a move keeps nobody waiting.
constexpr Microseconds kStillMost = Seconds{600};
// A job that ran so long without growing has what it wants.
constexpr Microseconds kCalm = Seconds{30};
// A card that would be full sooner is looked at closely; so is one on which somebody goes on.
constexpr Microseconds kSoonFull = Seconds{10};
constexpr Microseconds kGoesOn = Seconds{3};

Wall started_at(const Job& job) {
  const auto* running = std::get_if<Running>(&job.state);
  return running ? running->started_at : std::get<Starting>(job.state).decided_at;
}

bool may_go(const StateView& state, const Job& job, Now now) {
  return std::holds_alternative<Running>(job.state) && kind_of(job).moves_busy &&
         leaving_candidate(state, job, ram_for_moves(state, state.host_holds()), now).has_value();
}

// Null: it is aside, or was never away.
const OnCards* back_on_cards(const Job& job) {
  const Presence* presence = presence_of(job);
  return presence == nullptr ? nullptr : presence->back();
}

// It gives its cards up, in a time that somebody may stand still for.
bool is_leaving(const Job& job, Now now) {
  const Aside* aside = aside_of(job);
  if (aside != nullptr) {
    return aside->phase == AsidePhase::kPausing && aside->mechanism == Mechanism::kCheckpoint &&
           ago(aside->since, now) < kStillMost;
  }
  const StopReason stopping = stopping_of(job);
  return stopping != StopReason::kNone && stopping != StopReason::kLetGo;
}

// The first who leaves the card; 0: nobody does.
JobId who_leaves(const StateView& state, CardNumber card, JobId but, Now now) {
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    if (id != but && given_on(job, card) != nullptr && is_leaving(job, now)) return id;
  }
  return {};
}

// Up to here growing is what was expected of a job, and it is expected to end there: at what it was
// given, and a little more, because few count the driver's own share of it.
std::uint64_t expected_end(const CardGrant& given) {
  constexpr std::uint64_t kLeast = 1ULL << 30;
  return given.vram_bytes + std::max(kLeast, given.vram_bytes / 20);
}

// What a job would take of the card besides in so many seconds.
double growth_of(const StateView& state, const Job& job, CardNumber card, double seconds) {
  if (is_aside(job)) return 0;
  const double more = state.seen().growth_on(card).trend_of(job.current_attempt()) * seconds;
  const CardGrant* given = given_on(job, card);
  const CardUse* use = state.seen().uses.on_card(job.current_attempt(), card);
  if (given == nullptr || use == nullptr) return more;
  const std::uint64_t end = expected_end(*given);
  if (use->vram_bytes >= end) return more;
  return std::min(more, static_cast<double>(end - use->vram_bytes));
}

bool may_stand_still(const StateView& state, const Job& job, CardNumber card, Now now) {
  const auto* running = std::get_if<Running>(&job.state);
  if (running == nullptr || running->stopping != StopReason::kNone) return false;
  // A client of MPS may keep its neighbours waiting.
  if (!kind_of(job).may_freeze || running->grant.mps || is_aside(job)) return false;
  if (move_failed_lately(job, kTryAgainAfter, now)) return false;
  return state.seen().growth_on(card).of(job.current_attempt()) >= kGrowing;
}

// What is in use there, without what has ended since the look.
std::uint64_t observed_on(const StateView& state, const CardView& view) {
  std::uint64_t listed = 0;
  std::uint64_t gone = 0;
  for (const SeenProcess& process : view.processes) {
    const std::uint64_t bytes = process.vram_bytes.value_or(0);
    listed += bytes;
    if (!process.attempt) continue;
    const Job* job = state.find(process.attempt->job);
    const bool there =
        job != nullptr && job->active() && job->current_attempt() == *process.attempt;
    const auto left = state.seen().left_at(*process.attempt);
    if (!there || (left && view.at.boot <= *left)) gone += bytes;
  }
  const std::uint64_t used = std::max(view.used_bytes.value_or(0), listed);
  return used - std::min(used, gone);
}

std::uint64_t ceiling_of(const StateView& state, const Card& card) {
  const std::uint64_t whole = card.whole_bytes();
  return whole - std::min(whole, headroom_of(card, state.rules()));
}

std::optional<Evict> relieve_card(const StateView& state, std::size_t index, Now now) {
  const Card& card = state.cards()[index];
  const CardView& view = state.view_of(index);
  if (!is_pressed(state, index)) return std::nullopt;
  const Job* victim = nullptr;
  // The lowest band has the largest rank, the youngest has run for the shortest time.
  const auto rank = [](const Job& job) {
    const auto* running = std::get_if<Running>(&job.state);
    return std::tuple(band_rank(job.priority), running ? running->started_at : Wall::max(), job.id);
  };
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    if (given_on(job, card.number) == nullptr) continue;
    const bool away = aside_phase(job) == AsidePhase::kPaused;
    if (away && aside_of(job)->mechanism != Mechanism::kFreeze) continue;
    if (stopping_of(job) != StopReason::kNone) return std::nullopt;
    // It goes on first: a stopped process cannot be locked.
    if (away && stands_still(job)) return std::nullopt;
    if (away) continue;  // Frozen: what it has stays.
    if (is_aside(job)) return std::nullopt;
    // One that has nothing there yet would not help.
    const CardUse* use = state.seen().uses.on_card(job.current_attempt(), card.number);
    if (!may_go(state, job, now) || use == nullptr || use->vram_bytes == 0) continue;
    if (victim == nullptr || rank(*victim) < rank(job)) victim = &job;
  }
  if (victim == nullptr) return std::nullopt;
  return Evict{victim->id, card.number, observed_on(state, view), ceiling_of(state, card)};
}

}  // namespace

bool under_pressure(const StateView& state, std::size_t card_index, const CardView& view) {
  if (view.condition != CardCondition::kOk || state.holds_on(card_index).jobs < 2) return false;
  return observed_on(state, view) > ceiling_of(state, state.cards()[card_index]);
}

bool is_pressed(const StateView& state, std::size_t card_index) {
  const CardView& view = state.view_of(card_index);
  if (view.condition != CardCondition::kOk || state.holds_on(card_index).jobs < 2) return false;
  const Card& card = state.cards()[card_index];
  const std::uint64_t observed = observed_on(state, view);
  if (observed > ceiling_of(state, card)) return true;
  double expected = static_cast<double>(observed) +
                    state.seen().growth_on(card.number).trend_of(std::nullopt) * kReaction;
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    if (given_on(job, card.number) != nullptr) {
      expected += growth_of(state, job, card.number, kReaction);
    }
  }
  return expected > static_cast<double>(card.whole_bytes());
}

std::optional<Microseconds> time_to_full(const StateView& state, std::size_t card_index) {
  const CardView& view = state.view_of(card_index);
  if (view.condition != CardCondition::kOk || state.holds_on(card_index).jobs < 2) {
    return std::nullopt;
  }
  const Card& card = state.cards()[card_index];
  const Growth& growth = state.seen().growth_on(card.number);
  double rate = growth.of(std::nullopt);
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    if (given_on(job, card.number) == nullptr || is_aside(job)) continue;
    rate += growth.of(job.current_attempt());
  }
  if (rate < 1) return std::nullopt;
  const std::uint64_t observed = observed_on(state, view);
  const std::uint64_t free = card.whole_bytes() - std::min(card.whole_bytes(), observed);
  constexpr double kDay = 24 * 3600;
  return Microseconds{
      static_cast<std::int64_t>(std::min(kDay, static_cast<double>(free) / rate) * 1e6)};
}

std::vector<Evict> relieve(const StateView& state, Now now) {
  std::vector<Evict> evicted;
  if (state.rules().preemption == Preemption::kOff) return evicted;
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    auto evict = relieve_card(state, i, now);
    if (!evict) continue;
    // A gang may be the answer for two cards at once.
    if (std::ranges::find(evicted, evict->job, &Evict::job) == evicted.end()) {
      evicted.push_back(*evict);
    }
  }
  return evicted;
}

std::vector<StandStill> hold_growing(const StateView& state, const std::vector<Evict>& leaving,
                                     Now now) {
  std::vector<StandStill> stopped;
  if (state.rules().preemption != Preemption::kAuto) return stopped;
  const auto goes = [&](JobId id) {
    return std::ranges::find(leaving, id, &Evict::job) != leaving.end();
  };
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    if (!is_pressed(state, i)) continue;
    const CardNumber card = state.cards()[i].number;
    JobId leaves = who_leaves(state, card, {}, now);
    for (const Evict& evict : leaving) {
      if (given_on(*state.find(evict.job), card) != nullptr) leaves = evict.job;
    }
    if (leaves == JobId{}) continue;
    for (const JobId id : state.active()) {
      const Job& job = *state.find(id);
      if (id == leaves || goes(id) || given_on(job, card) == nullptr) continue;
      if (std::ranges::find(stopped, id, &StandStill::job) != stopped.end()) continue;
      if (may_stand_still(state, job, card, now)) stopped.push_back({id, card, leaves});
    }
  }
  return stopped;
}

bool still_valid(const StateView& state, const Evict& evict, Now now) {
  const auto position = state.index_of(evict.card);
  if (!position) return false;
  const auto again = relieve_card(state, *position, now);
  return again && again->job == evict.job;
}

bool still_valid(const StateView& state, const StandStill& stop, Now now) {
  const Job* job = state.find(stop.job);
  return job != nullptr && job->active() && state.index_of(stop.card) &&
         may_stand_still(state, *job, stop.card, now) &&
         who_leaves(state, stop.card, stop.job, now) != JobId{};
}

bool wants_close_looks(const StateView& state, std::size_t card_index, Now now) {
  const auto left = time_to_full(state, card_index);
  if (left && *left < kSoonFull) return true;
  const CardNumber card = state.cards()[card_index].number;
  return std::ranges::any_of(state.active(), [&](JobId id) {
    const Job& job = *state.find(id);
    const OnCards* back = back_on_cards(job);
    return back != nullptr && back->stood_still && ago(back->since, now) < kGoesOn &&
           given_on(job, card) != nullptr;
  });
}

bool neighbours_are_calm(const StateView& state, const Job& job, Now now) {
  const auto is_calm = [&](const Job& other, CardNumber card) {
    // A job that is away, or frozen, does not grow.
    if (aside_phase(other) == AsidePhase::kPaused && !stands_still(other)) return true;
    const auto* running = std::get_if<Running>(&other.state);
    if (running == nullptr || is_aside(other)) return false;
    const OnCards* back = back_on_cards(other);
    const Wall since = back != nullptr ? back->since : running->started_at;
    const CardUse* use = state.seen().uses.on_card(other.current_attempt(), card);
    return ago(since, now) >= kCalm && use != nullptr && now.boot - use->level_since >= kCalm;
  };
  // A job that came later was admitted beside its place, and is no reason to wait.
  const Wall left = aside_of(job)->since;
  for (const CardGrant& held : grant_of(job)->cards) {
    for (const JobId id : state.active()) {
      const Job& other = *state.find(id);
      if (id == job.id || given_on(other, held.card) == nullptr) continue;
      if (started_at(other) > left) continue;
      if (!is_calm(other, held.card)) return false;
    }
  }
  return true;
}

bool may_go_on(const StateView& state, const Job& job, Now now) {
  if (ago(aside_of(job)->since, now) >= kStillMost) return true;
  return std::ranges::all_of(grant_of(job)->cards, [&](const CardGrant& held) {
    return who_leaves(state, held.card, job.id, now) == JobId{};
  });
}

}  // namespace gpusched
