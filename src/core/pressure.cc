#include "core/pressure.h"

#include <algorithm>
#include <tuple>

#include "core/admission.h"
#include "core/make_room.h"
#include "core/pending.h"

namespace gpusched {
namespace {

StopReason stop_of(const Job& job) {
  if (const auto* starting = std::get_if<Starting>(&job.state)) return starting->stopping;
  return std::get<Running>(job.state).stopping;
}

bool may_go(const State& state, const Job& job) {
  return std::holds_alternative<Running>(job.state) && !job.spec->lease &&
         way_out(state, job, ram_for_moves(state, state.host_holds())).has_value();
}

// What is in use there, without what has ended since the look.
std::uint64_t observed_on(const State& state, const CardView& view) {
  std::uint64_t listed = 0;
  std::uint64_t gone = 0;
  for (const SeenProcess& process : view.processes) {
    const std::uint64_t bytes = process.vram_bytes.value_or(0);
    listed += bytes;
    if (!process.attempt) continue;
    const Job* job = state.find(process.attempt->job);
    const bool there =
        job != nullptr && job->active() && job->current_attempt() == *process.attempt;
    if (!there) gone += bytes;
  }
  const std::uint64_t used = std::max(view.used_bytes.value_or(0), listed);
  return used - std::min(used, gone);
}

std::uint64_t ceiling_of(const State& state, const Card& card) {
  const std::uint64_t whole = card.whole_bytes();
  return whole - std::min(whole, headroom_of(card, state.rules()));
}

std::optional<Evict> relieve_card(const State& state, std::size_t index) {
  const Card& card = state.cards()[index];
  const CardView& view = state.view_of(index);
  if (!under_pressure(state, index, view)) return std::nullopt;
  const Job* victim = nullptr;
  // The lowest band has the largest rank, the youngest has run for the shortest time.
  const auto rank = [](const Job& job) {
    const auto* running = std::get_if<Running>(&job.state);
    return std::tuple(band_rank(job.priority), running ? running->started_at : Wall::max(), job.id);
  };
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    const Grant& grant = *grant_of(job);
    if (std::ranges::find(grant.cards, card.number, &CardGrant::card) == grant.cards.end()) {
      continue;
    }
    const AsidePhase phase = aside_phase(job);
    const bool away = phase == AsidePhase::kPaused;
    if (away && aside_of(job)->mechanism != Mechanism::kFreeze) continue;
    if (stop_of(job) != StopReason::kNone) return std::nullopt;
    if (away) continue;  // Frozen: what it has stays.
    if (phase != AsidePhase::kHere) return std::nullopt;
    // One that has nothing there yet would not help.
    const CardUse* use = state.uses().on_card(job.current_attempt(), card.number);
    if (!may_go(state, job) || use == nullptr || use->vram_bytes == 0) continue;
    if (victim == nullptr || rank(*victim) < rank(job)) victim = &job;
  }
  if (victim == nullptr) return std::nullopt;
  return Evict{victim->id, card.number, observed_on(state, view), ceiling_of(state, card)};
}

}  // namespace

bool under_pressure(const State& state, std::size_t card_index, const CardView& view) {
  if (view.condition != CardCondition::kOk || state.holds_on(card_index).jobs < 2) return false;
  return observed_on(state, view) > ceiling_of(state, state.cards()[card_index]);
}

std::vector<Evict> relieve(const State& state) {
  std::vector<Evict> evicted;
  if (state.rules().preemption == Preemption::kOff) return evicted;
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    auto evict = relieve_card(state, i);
    if (!evict) continue;
    // A gang may be the answer for two cards at once.
    if (std::ranges::find(evicted, evict->job, &Evict::job) == evicted.end()) {
      evicted.push_back(*evict);
    }
  }
  return evicted;
}

bool still_valid(const State& state, const Evict& evict) {
  const auto position = state.index_of(evict.card);
  if (!position) return false;
  const auto again = relieve_card(state, *position);
  return again && again->job == evict.job;
}

}  // namespace gpusched
