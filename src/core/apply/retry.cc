// Retries: who gets another attempt after a failure, and when.
#include <algorithm>

#include "base/words.h"
#include "core/apply/learn.h"
#include "core/apply/transitions.h"

namespace gpusched {
namespace {

bool retries(const Job& job, Cause cause) {
  const RetryRule& rule = job.spec->retry;
  return kind_of(job).not_again == nullptr && has_cause(rule.causes, cause) &&
         job.failures <= rule.retries;
}

}  // namespace

Microseconds back_off_of(const RetryRule& rule, int times) {
  Seconds wait = rule.back_off;
  for (int i = 1; i < times && wait < Seconds{3600}; ++i) wait *= 2;
  return std::min(wait, Seconds{3600});
}

void queue_again(State& state, Job job, Microseconds retry_in, const std::string& why, Now now) {
  Queued queued;
  if (retry_in > Microseconds{0}) {
    queued.retry_at = now.wall + retry_in;
    queued.retry_boot = now.boot + retry_in;
  }
  job.state = queued;
  state.note(job, "requeued", why, now);
  state.put(std::move(job), now);
}

// The attempt counts against the retries; if one is left it is taken.
Applied fail_attempt(State& state, Job job, Ended ended, Now now) {
  learn(state, job, ended, now);
  const bool out_of_memory = ended.cause == Cause::kCudaOom;
  if (out_of_memory) {
    job.vram_floor_bytes = std::max(job.vram_floor_bytes, hold_after_oom(state, ended.grant));
  }
  ++job.failures;
  if (retries(job, *ended.cause)) {
    state.say_end({.attempt = job.current_attempt(),
                   .at = ended.ended_at,
                   .began = ended.started_at,
                   .failed = ended.cause});
    // More memory cures it, waiting does not.
    const Microseconds wait =
        out_of_memory ? Microseconds{0} : back_off_of(job.spec->retry, job.failures);
    std::string why = outcome_text(ended) + "; retry " + std::to_string(job.failures) + " of " +
                      std::to_string(job.spec->retry.retries);
    if (out_of_memory) {
      why += ", holding at least " + mib_text(job.vram_floor_bytes) + " per card";
    }
    queue_again(state, std::move(job), wait, why, now);
    return {};
  }
  Applied applied;
  const Job copy = job;
  end_job(state, std::move(job), std::move(ended), now);
  guard_sweep(state, copy, applied);
  return applied;
}

}  // namespace gpusched
