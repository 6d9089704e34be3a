// Leases: how they end, and what their holders ask. A lease is granted by accept(), like the start
// of a job, but nothing is launched: its holder has brought its own process.
#include "base/check.h"
#include "base/text.h"
#include "core/apply/apply.h"
#include "core/apply/transitions.h"
#include "core/model/kind.h"

namespace gpusched {
namespace {

std::optional<Refusal> refuse_leases(const StateView& state, const Principal& actor,
                                     const std::vector<JobId>& leases, Action action) {
  if (auto refusal = refuse_ids(state, actor, leases, action)) return refusal;
  for (const JobId id : leases) {
    if (kind_of(*state.find(id)).has_holder) continue;
    return Refusal{RefusalKind::kConflict,
                   "job " + to_string(id) + " is no lease; cancel is what ends a job"};
  }
  return std::nullopt;
}

}  // namespace

void end_lease(State& state, Job job, const LeaseEnd& end, Now now) {
  CHECK(kind_of(job).has_holder);
  if (!job.active()) {
    Ended ended{.outcome = Outcome::kCancelled};
    ended.message = end.message;
    ended.ended_at = now.wall;
    end_job(state, std::move(job), std::move(ended), now);
    return;
  }
  AttemptFinished finished{.attempt = job.current_attempt(), .cause = end.cause};
  if (end.cause == Cause::kExit) finished.exit_code = 0;
  finished.message = end.message;
  finished.ended_at = now.wall;
  if (end.why != StopReason::kNone) {
    stopping_in(job) = end.why;
    state.put(std::move(job), now);
  }
  apply_finished(state, finished, now);
}

void end_due_leases(State& state, Now now) {
  for (const JobId id : state.leases().due(now)) {
    const std::string over = "its time to live is over";
    if (ends_when_back(state, *state.find(id), StopReason::kNone, over, now)) continue;
    end_lease(state, *state.find(id),
              {.cause = Cause::kTimeout, .message = "its time to live is over"}, now);
  }
}

std::optional<Refusal> check_leases(const StateView& state, const LeasesAsked& asked, Now now) {
  CHECK(!asked.leases.empty());
  std::size_t position = 0;
  for (const SubmitAsked& lease : asked.leases) {
    ++position;
    auto refusal = check_submit(state, lease, now);
    if (!refusal) continue;
    const std::string& name = lease.spec->name;
    refusal->message =
        (name.empty() ? "request " + std::to_string(position) : name) + ": " + refusal->message;
    return refusal;
  }
  // The limits of the queue are for all of them together.
  SubmitAsked together = asked.leases.front();
  together.total = asked.leases.size();
  return check_submit(state, together, now);
}

Applied apply_leases(State& state, const LeasesAsked& asked, Now now) {
  if (auto refusal = check_leases(state, asked, now)) return refused(std::move(*refusal));
  const JobId first = state.next_job();
  for (const SubmitAsked& lease : asked.leases) apply_submit(state, lease, now);
  return {.answer = Submitted{first, asked.leases.size(), false}, .effects = {}, .follow_up = {}};
}

Applied apply_lease_release(State& state, const LeaseReleaseAsked& asked, Now now) {
  if (auto refusal = refuse_leases(state, asked.actor, asked.leases, Action::kSteerJob)) {
    return refused(std::move(*refusal));
  }
  Changed changed;
  for (const JobId id : asked.leases) {
    const Job& job = *state.find(id);
    if (job.ended()) {
      changed.unchanged.emplace_back(id, "has already ended");
      continue;
    }
    changed.jobs.push_back(id);
    if (ends_when_back(state, job, StopReason::kNone, "released", now)) continue;
    end_lease(state, job, {.message = job.active() ? "released" : "given up before it was granted"},
              now);
  }
  return {.answer = std::move(changed), .effects = {}, .follow_up = {}};
}

Applied apply_lease_renew(State& state, const LeaseRenewAsked& asked, Now now) {
  if (auto refusal = refuse_leases(state, asked.actor, {asked.lease}, Action::kChangeJob)) {
    return refused(std::move(*refusal));
  }
  Job job = *state.find(asked.lease);
  const auto* running = std::get_if<Running>(&job.state);
  if (running == nullptr) {
    return refused(RefusalKind::kConflict, "lease " + to_string(job.id) + " is " +
                                               state_name(job.state) +
                                               "; only one that is granted has a time to live");
  }
  auto spec = std::make_shared<JobSpec>(*job.spec);
  // Counted from the grant, like every time limit: what has passed, and then as long as was asked.
  const auto passed = std::chrono::ceil<Seconds>(now.wall - running->started_at);
  spec->time.limit = asked.ttl == Seconds{0} ? Seconds{0} : passed + asked.ttl;
  if (beyond_longest(state, job, spec->time.limit) && !may(asked.actor, Action::kExceedLimits)) {
    return refused(RefusalKind::kForbidden,
                   "lease " + to_string(job.id) + " may last " +
                       format_duration(Seconds{state.tenants().terms_of(job.tenant).time_limit_s}) +
                       " in all: its tenant's longest time limit");
  }
  job.spec = std::move(spec);
  state.note(job, "changed",
             asked.ttl == Seconds{0} ? "renewed without an end"
                                     : "renewed for " + format_duration(asked.ttl) + " from now",
             now);
  state.put(std::move(job), now);
  return {.answer = Changed{{asked.lease}, {}}, .effects = {}, .follow_up = {}};
}

Applied apply_lease_reset(State& state, const LeaseResetAsked& asked, Now now) {
  Changed changed;
  const std::set<JobId> live = state.leases().live();
  for (const JobId id : live) {
    const Job& job = *state.find(id);
    if (!owns(asked.actor, owned_by(job.owner)) ||
        job.spec->lease->application != asked.application) {
      continue;
    }
    changed.jobs.push_back(id);
    const std::string reset = "reset by application " + asked.application;
    if (ends_when_back(state, job, StopReason::kNone, reset, now)) continue;
    end_lease(state, job, {.message = reset}, now);
  }
  return {.answer = std::move(changed), .effects = {}, .follow_up = {}};
}

Applied apply_holder_gone(State& state, const LeaseHolderGone& gone, Now now) {
  const Job* job = state.find(gone.lease);
  if (job == nullptr || !kind_of(*job).has_holder || job->ended()) return {};
  if (!gone.process_lives || !ends_when_back(state, *job, StopReason::kNone, gone.why, now)) {
    end_lease(state, *job, {.message = gone.why}, now);
  }
  return {};
}

}  // namespace gpusched
