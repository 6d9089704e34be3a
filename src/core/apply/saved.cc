// A job that has saved itself is queued again and goes on in its next attempt. That is no failure;
// only one that does it again and again right after its start, unasked, has to wait.
#include "base/text.h"
#include "core/apply/transitions.h"

namespace gpusched {
namespace {

// An attempt that was not asked and saved sooner than this has done nothing worth saving.
constexpr Seconds kWorthSaving{60};

bool was_told_by_its_limit(const TimeRule& rule, const AttemptFinished& report, Microseconds ran) {
  if (report.cause == Cause::kTimeout) return true;
  return rule.limit > Seconds{0} && rule.warn_signal != 0 && ran >= rule.limit - rule.warn_before;
}

}  // namespace

bool has_saved(const Job& job, const AttemptFinished& report) {
  return job.spec->saves && report.exit_code == kSavedExitCode && report.cause != Cause::kLaunch;
}

void queue_saved(State& state, Job job, const AttemptFinished& report, Now now) {
  const StopReason stopping = stopping_of(job);
  const auto* running = std::get_if<Running>(&job.state);
  std::optional<Wall> began = report.started_at;
  if (!began && running != nullptr) began = running->started_at;
  const Microseconds ran = began ? report.ended_at - *began : Microseconds{0};
  job.saved_attempt = job.attempt;
  std::string why = "saved its work";
  Microseconds wait{0};
  if (stopping == StopReason::kMakeRoom) {
    why += " to make room";
  } else if (stopping == StopReason::kNone && !was_told_by_its_limit(job.spec->time, report, ran)) {
    job.quick_saves = ran < kWorthSaving ? job.quick_saves + 1 : 0;
    if (job.quick_saves > 1) wait = back_off_of(job.spec->retry, job.quick_saves - 1);
  }
  why += "; goes on in its next attempt";
  if (wait > Microseconds{0}) {
    why += ", in " + format_duration(wait) + " because it saves right after each start";
  }
  queue_again(state, std::move(job), wait, why, now);
}

}  // namespace gpusched
