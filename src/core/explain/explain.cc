#include "core/explain/explain.h"
#include "base/words.h"

#include <algorithm>

#include "core/decide/limits.h"
#include "core/explain/card_reasons.h"
#include "core/explain/starts_now.h"
#include "core/place/placement.h"
#include "core/preempt/idle_holder.h"
#include "core/preempt/move_time.h"
#include "core/preempt/preempt.h"
#include "core/preempt/resume.h"
#include "core/share/quota.h"
#include "core/state/belief.h"
#include "core/state/dependency.h"
#include "core/state/pending.h"
#include "core/state/run_time.h"

namespace gpusched {
namespace {

// There is room, but only until a job that is aside returns to it.
std::optional<Reason> kept_for_others(const StateView& state, const Job& job,
                                      const Decided& decided, Now now) {
  const int band = band_rank(job.priority);
  Reason reason{.code = ReasonCode::kKept, .jobs = {}};
  for (const KeptPlace& place : decided.kept) {
    if (place.before > 2 * band || place.job == job.id) continue;
    if (reason.jobs.size() < kNamedMost) reason.jobs.push_back(place.job);
  }
  if (reason.jobs.empty()) return std::nullopt;
  if (place(state, left_beside(state, decided.kept, band), job, nullptr, now)) return std::nullopt;
  return reason;
}

// What keeps an eligible job, and with it its whole shape, from starting.
std::vector<Reason> shape_reasons(const StateView& state, const Job& job, const Decided& decided,
                                  Now now) {
  std::vector<Reason> reasons;
  const Tentative free(state);
  const JobSpec& spec = *job.spec;
  switch (limited(state, free, job, now)) {
    case Limited::kMachine:
      reasons.push_back({.code = ReasonCode::kMachineLimit,
                         .jobs = {},
                         .wanted = static_cast<std::uint64_t>(state.host().jobs_most)});
      break;
    case Limited::kGuard:
      reasons.push_back({.code = ReasonCode::kCrashGuard, .jobs = {job.task->array}});
      break;
    case Limited::kGroup: {
      const auto limit = static_cast<std::uint64_t>(state.groups().at(spec.group).limit);
      reasons.push_back({.code = ReasonCode::kGroupLimit, .jobs = {}, .wanted = limit});
      reasons.back().name = spec.group;
      break;
    }
    case Limited::kGroupPaused:
      reasons.push_back({.code = ReasonCode::kGroupPaused, .jobs = {}});
      reasons.back().name = spec.group;
      break;
    case Limited::kArray:
      reasons.push_back({.code = ReasonCode::kArrayLimit,
                         .jobs = {job.task->array},
                         .wanted = static_cast<std::uint64_t>(spec.extras->array_limit)});
      break;
    case Limited::kQuota:
      reasons.push_back({.code = ReasonCode::kTenantQuota, .jobs = {}});
      reasons.back().quota = quota_stop(state, free, job, now);
      reasons.back().name = job.tenant;
      break;
    case Limited::kDisk:
      reasons.push_back({.code = ReasonCode::kDiskFull, .jobs = {}});
      break;
    case Limited::kNo:
      break;
  }
  if (spec.needs.wants_cards()) card_reasons(state, free, job, now, reasons);
  host_reasons(state, spec.needs, reasons);
  if (!reasons.empty()) return reasons;
  if (auto stop = kept_off_by_quota(state, free, job, now)) {
    reasons.push_back({.code = ReasonCode::kTenantQuota, .jobs = {}});
    reasons.back().quota = std::move(stop);
    reasons.back().name = job.tenant;
    return reasons;
  }
  if (auto kept = kept_for_others(state, job, decided, now)) {
    reasons.push_back(std::move(*kept));
    return reasons;
  }
  const auto& reserved = decided.reserved;
  if (reserved && reserved->job != job.id) {
    Reason reason{.code = ReasonCode::kReserved, .jobs = {reserved->job}};
    reason.until = reserved->start;
    reasons.push_back(std::move(reason));
    return reasons;
  }
  reasons.push_back({.code = ReasonCode::kNext, .jobs = {}});
  return reasons;
}

// Who is moved aside for the job at this moment, and when they should be gone.
Reason making_room(const StateView& state, JobId id, Now now) {
  Reason made{.code = ReasonCode::kMakingRoom, .jobs = {}};
  for (const JobId other : state.active()) {
    const Job& job = *state.find(other);
    const auto* running = std::get_if<Running>(&job.state);
    if (running == nullptr) continue;
    const bool moves = aside_phase(job) == AsidePhase::kPausing && aside_of(job)->for_job == id;
    const bool stops = running->stopping == StopReason::kMakeRoom && running->leaves_for == id;
    if ((moves || stops) && made.jobs.size() < kNamedMost) made.jobs.push_back(other);
    if (!moves) continue;
    const Wall gone = gone_by(state, job);
    if (gone > now.wall) made.until = std::max(made.until.value_or(gone), gone);
  }
  if (made.until) made.name = rough_duration(*made.until - now.wall);
  return made;
}

// Somebody would be moved aside for the job, but has not run for long enough yet.
std::optional<Reason> room_later(const StateView& state, const Job& job, Now now) {
  if (!may_make_room(state, band_rank(job.priority))) return std::nullopt;
  const RoomRules& rules = state.rules().room;
  const Microseconds ahead = std::max<Microseconds>(rules.run_least, rules.cool_down);
  const Now later{now.wall + ahead, now.boot + ahead};
  const FindRoom find = [&](const Tentative& then) {
    return place(state, then, job, nullptr, later);
  };
  const auto plan = plan_room(state, Tentative(state), Leavers(state), job, find, later).plan;
  if (!plan) return std::nullopt;
  Reason reason{.code = ReasonCode::kRoomLater, .jobs = {}};
  Wall from = now.wall;
  for (const Victim& victim : plan->decision.victims) {
    from =
        std::max(from, movable_from(state, std::get<Running>(state.find(victim.job)->state), now));
    if (reason.jobs.size() < kNamedMost) reason.jobs.push_back(victim.job);
  }
  if (from <= now.wall) return std::nullopt;  // Somebody who waits before it has the first call.
  reason.until = from;
  reason.name = "in " + rough_duration(std::chrono::ceil<Seconds>(from - now.wall));
  return reason;
}

// Why those stay who could go: what the planner says of the whole (decide/room_maker.cc asks
// alike). `free` and `reserved`: what those before it leave.
Stays why_all_stay(const StateView& state, const Job& job, const Tentative& free,
                   const ReservedStart* reserved, Now now) {
  if (!may_make_room(state, band_rank(job.priority))) return Stays::kNothing;
  const FindRoom find = [&](const Tentative& then) {
    return place(state, then, job, reserved, now);
  };
  const Leavers leavers(state);
  if (!leavers.none() && find(leavers.gone_from(free))) return Stays::kOthersLeave;
  return plan_room(state, free, leavers, job, find, now).given_up;
}

void add_staying(const StateView& state, const Job& job, const WaitingReasons& before, Now now,
                 Reason& reason) {
  std::optional<Stays> all;
  for (const JobId id : reason.jobs) {
    Stays why = why_stays(state, *state.find(id), job, now);
    if (why == Stays::kNothing) {
      if (!all) {
        all = why_all_stay(state, job, before.left_for(job), before.reserved_against(job), now);
      }
      why = *all;
    }
    reason.staying.push_back({id, why});
  }
}

// Why a job that was moved aside is not back yet.
Reason aside_reason(const StateView& state, const Job& job, Now now) {
  const Aside& aside = *aside_of(job);
  if (const auto until = aside.over_limit_until) {
    Reason reason{.code = ReasonCode::kVramLimit, .jobs = {}, .until = until};
    const Microseconds left = std::max(Microseconds{0}, *until - now.wall);
    reason.name =
        mib_text(job.spec->extras->vram_limit_bytes) + "; it is ended in " + rough_duration(left);
    return reason;
  }
  if (aside.by_hand) return {.code = ReasonCode::kPaused, .jobs = {}};
  if (aside.why == AsideWhy::kStill)
    return {.code = ReasonCode::kStandsStill, .jobs = {aside.for_job}};
  Reason reason{.code = ReasonCode::kMovedAside, .jobs = {}};
  if (is_asleep(state.rules().room, aside)) {
    reason.name = "comes back when it is used, or when nobody else waits";
  }
  const Job* other = state.find(aside.for_job);
  const bool waits_for_it = other != nullptr && !other->ended();
  if (!waits_for_it && reason.name.empty()) {
    std::string keeps = what_keeps_away(state, job, now);
    if (!keeps.empty()) reason.name = std::move(keeps);
  }
  if (const auto& failed = presence_of(job)->failed) reason.name = failed->error;
  if (!waits_for_it) return reason;
  reason.jobs.push_back(aside.for_job);
  if (is_asleep(state.rules().room, aside)) return reason;
  const Wall end = end_of(state, *other, now, Trust::kEstimates);
  if (end == kNobodyKnows) return reason;
  reason.until = end + time_back(state, job, aside.host_bytes);
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(*reason.until - now.wall).count();
  reason.name =
      "comes back when it ends, in about " + std::to_string(std::max<long>(1, minutes)) + " min";
  return reason;
}

// Reasons that belong to one job alone; empty if it is eligible.
std::vector<Reason> own_reasons(const StateView& state, const Job& job, Now now) {
  std::vector<Reason> reasons;
  if (aside_phase(job) == AsidePhase::kPaused || aside_phase(job) == AsidePhase::kPausing) {
    reasons.push_back(aside_reason(state, job, now));
    return reasons;
  }
  if (const auto* held = std::get_if<Held>(&job.state)) {
    if (held->why == HoldReason::kCrashGuard) {
      reasons.push_back(
          {.code = ReasonCode::kCrashGuard, .jobs = {job.task ? job.task->array : job.id}});
    } else {
      reasons.push_back({.code = ReasonCode::kHeld, .jobs = {}});
    }
    return reasons;
  }
  const auto* queued = std::get_if<Queued>(&job.state);
  if (queued == nullptr) return reasons;
  std::vector<JobId> open = open_dependencies(state, *job.spec);
  if (!open.empty()) {
    Reason reason{.code = ReasonCode::kDependency, .jobs = std::move(open)};
    if (reason.jobs.size() > kNamedMost) reason.jobs.resize(kNamedMost);
    reasons.push_back(std::move(reason));
  }
  if (job.spec->extras->begin && *job.spec->extras->begin > now.wall) {
    reasons.push_back({.code = ReasonCode::kBegin, .jobs = {}, .until = job.spec->extras->begin});
  }
  if (queued->retry_boot && *queued->retry_boot > now.boot) {
    reasons.push_back({.code = ReasonCode::kRetry, .jobs = {}, .until = queued->retry_at});
  }
  // Its time has come since the last turn; the next one wakes it.
  if (reasons.empty()) reasons.push_back({.code = ReasonCode::kNext, .jobs = {}});
  return reasons;
}

}  // namespace

WaitingReasons::WaitingReasons(const StateView& state, Now now)
    : state_(state), now_(now), decided_(decide(state, now)) {}

const std::vector<Reason>& WaitingReasons::of(const Job& job) {
  if (!state_.pending().contains(job.id)) {
    single_ = own_reasons(state_, job, now_);
    return single_;
  }
  const auto shape = std::pair(state_.pending().shape_of(job.id).id, band_rank(job.priority));
  auto found = by_shape_.find(shape);
  if (found == by_shape_.end()) {
    found = by_shape_.emplace(shape, shape_reasons(state_, job, decided_, now_)).first;
  }
  return found->second;
}

std::vector<Reason> why_waiting(const StateView& state, const Job& job, Now now) {
  WaitingReasons all(state, now);
  std::vector<Reason> reasons = all.of(job);
  if (reasons.empty() || !state.pending().contains(job.id)) return reasons;
  if (Reason made = making_room(state, job.id, now); !made.jobs.empty()) {
    reasons.insert(reasons.begin(), std::move(made));
    return reasons;
  }
  if (auto later = room_later(state, job, now)) {
    reasons.insert(reasons.begin(), std::move(*later));
    return reasons;
  }
  for (Reason& reason : reasons) {
    if (reason.code == ReasonCode::kCards) add_staying(state, job, all, now, reason);
  }
  const ReservedStart* kept = all.reserved_against(job);
  const Tentative left = all.left_for(job);
  reasons.front().helps = what_starts_it(state, job, kept, left, now);
  reasons.front().starts_when_lifted =
      reasons.size() == 1 && kept == nullptr &&
      (!all.any_kept() || place(state, left, job, nullptr, now).has_value());
  return reasons;
}

}  // namespace gpusched
