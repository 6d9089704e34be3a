#include "daemon/idle_watch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/preempt/idle_holder.h"
#include "os/clock.h"

namespace gpusched {
namespace {

constexpr std::chrono::milliseconds kLookPeriod{1000};
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
    return asleep || job.spec->lease ? Look::kJudge : Look::kNone;
  }
  if (aside != nullptr || running->stopping != StopReason::kNone) return Look::kNone;
  const RoomRules& rules = state.rules().room;
  const bool may_go = rules.return_on_use && rules.idle_after > Seconds{0};
  return may_go && is_quiet(state, job) ? Look::kLearn : Look::kNone;
}

}  // namespace

IdleWatch::IdleWatch(boost::asio::io_context& loop, Engine& engine, ShimOf shim_of)
    : timer_(loop), engine_(engine), shim_of_(std::move(shim_of)) {}

void IdleWatch::look_soon() {
  const StateView& state = engine_.state();
  const RoomRules& rules = state.rules().room;
  // Leases may be aside by hand, whatever the settings.
  if (waiting_ || (rules.idle_after == Seconds{0} && state.aside().empty())) return;
  const bool any = std::ranges::any_of(
      state.active(), [&](JobId id) { return look_for(state, *state.find(id)) != Look::kNone; });
  if (!any) return;
  waiting_ = true;
  timer_.expires_after(kLookPeriod);
  timer_.async_wait([this](const boost::system::error_code& cancelled) {
    waiting_ = false;
    if (!cancelled) look();
  });
}

void IdleWatch::look() {
  const StateView& state = engine_.state();
  const std::vector<ProcessEntry> all = list_processes();
  std::map<AttemptId, Watched> kept;
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    const Look what = look_for(state, job);
    // On its way out its habits are remembered.
    if (what == Look::kNone && aside_phase(job) != AsidePhase::kPausing) continue;
    const auto found = watched_.find(job.current_attempt());
    if (found != watched_.end()) kept.insert(watched_.extract(found));
    if (what != Look::kNone) kept.try_emplace(job.current_attempt());
  }
  watched_ = std::move(kept);
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    const Look what = look_for(state, job);
    if (what != Look::kNone) look_at(job, what == Look::kJudge, all);
  }
  look_soon();
}

void IdleWatch::look_at(const Job& job, bool aside, const std::vector<ProcessEntry>& all) {
  const auto& lease = job.spec->lease;
  TreeRoot root{shim_of_(job.current_attempt()), false};
  if (lease) root = {lease->pid, true};
  if (const auto& adopted = job.spec->adopted) root = {adopted->pid, true};
  if (root.pid <= 0) return;
  auto seen = look_at_threads(root, all, read_clock().boot);
  if (lease && seen) {
    const auto holder = std::ranges::find(all, root.pid, &ProcessEntry::pid);
    if (holder->started != boot_of_ticks(lease->pid_started)) seen.reset();  // Another one.
  }
  if (!seen) {
    // Who holds by a connection is not watched otherwise.
    if (lease && aside) {
      engine_.post(LeaseHolderGone{
          job.id, "its holder, process " + std::to_string(root.pid) + ", has ended"});
    }
    return;
  }
  Watched& watched = watched_[job.current_attempt()];
  if (!aside) {
    watched.said = false;
    return watched.activity.learn(*seen);
  }
  if (!watched.activity.judge(*seen) || std::exchange(watched.said, true)) return;
  engine_.post(HolderActive{job.current_attempt()});
}

}  // namespace gpusched
