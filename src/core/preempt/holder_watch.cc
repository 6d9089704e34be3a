#include "core/preempt/holder_watch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/model/kind.h"
#include "core/preempt/idle_holder.h"

namespace gpusched {
namespace {

constexpr double kQuietPercent = 1.0;

// On its cards, and none of its processes uses them just now.
bool is_quiet(const StateView& state, const Job& job) {
  bool seen = false;
  for (const CardGrant& held : grant_of(job)->cards) {
    const auto position = state.index_of(held.card);
    if (!position) continue;
    for (const SeenProcess& process : state.view_of(*position).processes) {
      if (process.attempt != job.current_attempt()) continue;
      seen = true;
      if (!process.load_percent || *process.load_percent >= kQuietPercent) return false;
    }
  }
  return seen;
}

enum class Look { kNone, kLearn, kJudge };

Look look_for(const StateView& state, const Job& job) {
  const auto* running = std::get_if<Running>(&job.state);
  if (running == nullptr) return Look::kNone;
  const Aside* aside = aside_of(job);
  if (aside != nullptr && aside->phase == AsidePhase::kPaused) {
    // Of a lease also whether its process is still there.
    const bool asleep = is_asleep(state.rules().room, *aside) && !aside->by_hand;
    return asleep || kind_of(job).has_holder ? Look::kJudge : Look::kNone;
  }
  if (aside != nullptr || running->stopping != StopReason::kNone) return Look::kNone;
  const RoomRules& rules = state.rules().room;
  const bool may_go = rules.return_on_use && rules.idle_after > Seconds{0};
  return may_go && is_quiet(state, job) ? Look::kLearn : Look::kNone;
}

}  // namespace

bool HolderWatch::is_needed(const StateView& state) {
  // Leases may be aside by hand, whatever the settings.
  if (state.rules().room.idle_after == Seconds{0} && state.aside().empty()) return false;
  return std::ranges::any_of(
      state.active(), [&](JobId id) { return look_for(state, *state.find(id)) != Look::kNone; });
}

std::vector<JobId> HolderWatch::whom(const StateView& state) {
  std::vector<JobId> looked_at;
  std::map<AttemptId, Watched> kept;
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    const Look what = look_for(state, job);
    // On its way out its habits are remembered.
    if (what == Look::kNone && aside_phase(job) != AsidePhase::kPausing) continue;
    const auto found = watched_.find(job.current_attempt());
    if (found != watched_.end()) kept.insert(watched_.extract(found));
    if (what != Look::kNone) looked_at.push_back(id);
  }
  watched_ = std::move(kept);
  return looked_at;
}

std::optional<Event> HolderWatch::take(const StateView& state, JobId id,
                                       const std::optional<HolderLook>& seen) {
  const Job& job = *state.find(id);
  const bool aside = look_for(state, job) == Look::kJudge;
  if (!seen) {
    // The holder of a connection is not watched otherwise.
    if (!kind_of(job).has_holder || !aside) return std::nullopt;
    return LeaseHolderGone{
        id, "its holder, process " + std::to_string(job.spec->lease->pid) + ", has ended"};
  }
  Watched& watched = watched_[job.current_attempt()];
  if (!aside) {
    watched.said = false;
    watched.activity.learn(*seen);
    return std::nullopt;
  }
  if (!watched.activity.judge(*seen) || std::exchange(watched.said, true)) return std::nullopt;
  return HolderActive{job.current_attempt()};
}

}  // namespace gpusched
