// What was seen of the cards, and what it means for what is left of them.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/model/kind.h"
#include "core/state/state.h"

namespace gpusched {
namespace {

// Away with its memory, as far as anybody has said.
bool is_moved_out(const Job& job) {
  return aside_phase(job) == AsidePhase::kPaused &&
         aside_of(job)->mechanism == Mechanism::kCheckpoint;
}

// What a job uses of the card's compute, less what it was given: its estimate counts in full while
// it ramps up, and where nobody knows better.
double load_beyond(const CardUse& use, const CardGrant& held, const EstimateRules& rules) {
  if (!use.load_percent) return 0;
  const double above = *use.load_percent - held.share_percent;
  return use.ramps(held, rules) ? std::max(above, 0.0) : above;
}

// A holder's process stands for all its leases on the card.
std::uint64_t held_with(const StateView& state, const Job& job, CardNumber card) {
  const auto bytes_of = [card](const Job& one) {
    const CardGrant* held = given_on(one, card);
    return held ? held->vram_bytes : 0;
  };
  if (!kind_of(job).has_holder) return bytes_of(job);
  std::uint64_t held = 0;
  for (const JobId id : state.leases().live()) {
    const Job& other = *state.find(id);
    if (other.active() && other.spec->lease->pid == job.spec->lease->pid) {
      held += bytes_of(other);
    }
  }
  return held;
}

}  // namespace

std::optional<AttemptId> lease_on(const StateView& state, int pid, CardNumber card) {
  for (const JobId id : state.leases().live()) {
    const Job& job = *state.find(id);
    if (job.active() && job.spec->lease->pid == pid && given_on(job, card) != nullptr) {
      return job.current_attempt();
    }
  }
  return std::nullopt;
}

UngrantedUse ungranted_of(const StateView& state, const Job& job, CardNumber card) {
  const CardGrant* held = given_on(job, card);
  const CardUse* use = state.seen().uses.on_card(job.current_attempt(), card);
  if (held == nullptr || use == nullptr || aside_phase(job) == AsidePhase::kPaused) return {};
  UngrantedUse ungranted;
  ungranted.vram_bytes = use->vram_bytes - std::min(use->vram_bytes, held->vram_bytes);
  const double load = load_beyond(*use, *held, state.rules().estimates);
  ungranted.jobs_load_percent = static_cast<int>(std::lround(load));
  return ungranted;
}

std::uint64_t seen_while_away(const StateView& state, const Job& job, std::size_t card_index) {
  if (!is_moved_out(job)) return 0;
  const CardView& view = state.view_of(card_index);
  // The look is older than its leaving.
  const auto left = state.seen().left_at(job.current_attempt());
  if (left && view.at.boot <= *left) return 0;
  std::uint64_t bytes = 0;
  for (const SeenProcess& process : view.processes) {
    if (process.attempt == job.current_attempt()) bytes += process.vram_bytes.value_or(0);
  }
  return bytes;
}

void State::adapt_cap(std::size_t card_index, CapEvidence evidence, Now now) {
  if (!rules_.adaptive_cap.on) return;
  Card& card = cards_[card_index];
  auto known = seen_.caps.find(card.uuid);
  if (known == seen_.caps.end()) {
    if (card.share_cap_percent) return;
    const AdaptiveCap first = first_cap(rules_.adaptive_cap, rules_.share_cap_percent, now.boot);
    known = seen_.caps.emplace(card.uuid, first).first;
  }
  evidence.jobs = card_holds_[card_index].jobs;
  std::vector<const Job*> there;
  for (const JobId id : active_) {
    const Job& job = tables_.jobs.rows.at(id);
    if (given_on(job, card.number) == nullptr || is_aside(job)) continue;
    there.push_back(&job);
  }
  for (const Job* job : there) {
    const auto slower = seen_.paces.slowdown_of(job->current_attempt());
    if (!slower) continue;
    evidence.slowdown_percent = std::max(*slower, evidence.slowdown_percent.value_or(0));
    if (*slower <= rules_.adaptive_cap.slowdown_percent) continue;
    for (const Job* other : there) {
      if (other != job) seen_.slow_pairs.add(job->signature, other->signature);
    }
  }
  known->second = moved_cap(known->second, evidence, rules_.adaptive_cap, now.boot);
  card.share_cap_percent = known->second.percent;
}

void State::note_pace(const Job& job, std::uint64_t step, Microseconds ran) {
  if (!rules_.adaptive_cap.on || job.signature == SignatureId{}) return;
  const Grant& grant = *grant_of(job);
  if (grant.cards.empty()) return;
  const bool alone = std::ranges::all_of(grant.cards, [this](const CardGrant& held) {
    const auto position = index_of(held.card);
    return position && card_holds_[*position].jobs == 1;
  });
  seen_.paces.report(job.current_attempt(), job.signature, step, ran, alone);
}

void State::show_sibling(const Job& job, const std::string& model, std::uint64_t peak_vram_bytes) {
  for (const SignatureId id : {job.signature, job.sweep_signature, job.program_signature}) {
    if (id == SignatureId{}) continue;
    seen_.siblings.show(job.current_attempt(), {id, model}, peak_vram_bytes);
  }
}

void State::observe(CardNumber card, CardView view) {
  const auto position = index_of(card);
  if (!position) return;
  if (view.condition == CardCondition::kOk) {
    const auto lives = [this](AttemptId attempt) {
      const Job* job = find(attempt.job);
      return job != nullptr && job->active() && job->current_attempt() == attempt;
    };
    seen_.uses.prune(lives);
    std::erase_if(seen_.left, [&](const auto& entry) { return !lives(entry.first); });
    seen_.paces.prune(lives);
    seen_.siblings.prune(lives);
    seen_.uses.add(card, seen_.views[*position], view, rules_.estimates);
    seen_.growth[card].add(view);
    const std::string& uuid = cards_[*position].uuid;
    seen_.idle[uuid].look(view, rules_);
    seen_.foreign_loads[uuid].look(view, rules_.estimates.load_fall);
  }
  // What a card that does not answer held is still there, as far as anybody knows. A card that is
  // gone holds nothing.
  if (view.condition == CardCondition::kUnknown) {
    const auto& before = seen_.views[*position].silent_since;
    if (!view.silent_since) view.silent_since = before ? before : view.at.boot;
    view.processes = std::move(seen_.views[*position].processes);
    view.used_bytes = seen_.views[*position].used_bytes;
    view.busy_percent = seen_.views[*position].busy_percent;
  }
  seen_.views[*position] = std::move(view);
  refresh_ungranted(*position);
  refresh_usable(cards_[*position].uuid);
}

void State::refresh_usable(const std::string& uuid) {
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    if (cards_[i].uuid != uuid) continue;
    cards_[i].drained = tables_.drains.rows.contains(uuid);
    // One that nobody has looked at yet stays as it was reported.
    const bool seen = seen_.views[i].condition != CardCondition::kUnseen;
    const bool answers = seen ? seen_.views[i].answers() : cards_[i].usable || !cards_[i].drained;
    cards_[i].usable = answers && !cards_[i].drained && cards_[i].managed;
  }
}

void State::refresh_ungranted(std::size_t card_index) {
  const CardView& view = seen_.views[card_index];
  std::uint64_t listed = 0;
  std::uint64_t foreign = 0;
  double load = 0;
  std::map<AttemptId, std::uint64_t> ours;
  for (const SeenProcess& process : view.processes) {
    const std::uint64_t bytes = process.vram_bytes.value_or(0);
    listed += bytes;
    if (!process.attempt) {
      foreign += bytes;
      if (!process.ignored) load += process.load_percent.value_or(0);
      continue;
    }
    // An attempt that has ended is gone with all its processes; the list is older than that.
    const Job* job = find(process.attempt->job);
    if (job != nullptr && !job->active() && kind_of(*job).outlives_job) {
      foreign += bytes;
      continue;
    }
    if (job == nullptr || !job->active() || job->current_attempt() != *process.attempt) continue;
    ours[*process.attempt] += bytes;
  }
  std::uint64_t excess = 0;
  double jobs_load = 0;
  bool growing = false;
  const CardNumber number = cards_[card_index].number;
  for (const auto& [attempt, bytes] : ours) {
    const Job& job = *find(attempt.job);
    if (is_moved_out(job)) {
      // It holds nothing there, so all that is seen counts.
      excess += seen_while_away(*this, job, card_index);
      continue;
    }
    const std::uint64_t given = held_with(*this, job, number);
    excess += bytes - std::min(bytes, given);
    const CardGrant* held = given_on(job, number);
    const CardUse* use = seen_.uses.on_card(attempt, number);
    // What is away computes nothing, whatever was seen before it went.
    if (aside_phase(job) == AsidePhase::kPaused) continue;
    if (held != nullptr && use != nullptr) jobs_load += load_beyond(*use, *held, rules_.estimates);
    growing = growing || (bytes > given && seen_.growth_on(number).of(attempt) >= kGrowing);
  }
  if (view.busy_percent) {
    // Nobody tells who it is. What jobs were given, or are seen to take, explains a part of it.
    const double ours_too = card_holds_[card_index].share_percent + jobs_load;
    load = std::max(load, *view.busy_percent - std::max(ours_too, 0.0));
  }
  const std::uint64_t used = view.used_bytes.value_or(listed);
  const std::uint64_t unattributed = used - std::min(used, listed);
  card_holds_[card_index].ungranted = {foreign + excess + unattributed,
                                       static_cast<int>(std::lround(load)),
                                       static_cast<int>(std::lround(jobs_load)), growing};
}

}  // namespace gpusched
