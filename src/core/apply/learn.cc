#include "core/apply/learn.h"

#include <algorithm>

#include "base/percent.h"
#include "core/model/kind.h"
#include "core/state/belief.h"

namespace gpusched {
namespace {

// Nullopt: the attempt teaches nothing, as it ended early or on request.
std::optional<RunEnd> run_end_of(const Ended& ended) {
  if (ended.outcome == Outcome::kCompleted) return RunEnd::kCompleted;
  if (ended.outcome != Outcome::kFailed) return std::nullopt;
  if (ended.cause == Cause::kTimeout) return RunEnd::kCut;
  if (ended.cause == Cause::kCudaOom) return RunEnd::kOutOfMemory;
  return std::nullopt;
}

std::uint64_t most_held(const Grant& grant) {
  std::uint64_t most = 0;
  for (const CardGrant& held : grant.cards) most = std::max(most, held.vram_bytes);
  return most;
}

std::uint64_t capacity_of(const StateView& state, const Grant& grant) {
  std::uint64_t capacity = 0;
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    if (position) capacity = std::max(capacity, state.cards()[*position].capacity_bytes());
  }
  return capacity;
}

}  // namespace

std::uint64_t hold_after_oom(const StateView& state, const Grant& grant) {
  const std::uint64_t more = percent_of(most_held(grant), state.rules().estimates.oom_hold_percent);
  const std::uint64_t capacity = capacity_of(state, grant);
  return capacity > 0 ? std::min(more, capacity) : more;
}

namespace {

// A job died on a card that it had to itself: that says much of this command, and nothing of others
// that are only like it.
bool tells_only_of_itself(const PastRun& run, const Ended& ended) {
  return run.end == RunEnd::kOutOfMemory &&
         std::ranges::any_of(ended.grant.cards, &CardGrant::whole);
}

void remember(State& state, const Job& job, const Signature& by, const std::string& model,
              const PastRun& run, Now now) {
  const PastRunsKey key{by.id, model};
  const PastRuns* before = state.estimates().find(key);
  PastRuns past =
      before ? *before
             : PastRuns{.key = key, .tenant = job.tenant, .command = by.command, .runs = {}};
  ++past.count;
  if (run.end == RunEnd::kOutOfMemory) ++past.out_of_memory;
  past.last = now.wall;
  past.runs.push_back(run);
  if (past.runs.size() > PastRuns::kKept) past.runs.erase(past.runs.begin());
  state.put(std::move(past));
}

}  // namespace

void learn(State& state, const Job& job, const Ended& ended, Now now) {
  const std::optional<RunEnd> end = run_end_of(ended);
  if (!end || !ended.started_at || !kind_of(job).teaches) return;
  PastRun run{.attempt = job.current_attempt(), .end = *end};
  run.duration =
      std::max(Microseconds{0}, ended.ended_at - *ended.started_at - away_for(job, ended.ended_at));
  const Usage& usage = usage_of(ended);
  if (usage.gpu) {
    run.peak_vram_bytes = usage.gpu->peak_card_vram_bytes;
    run.load_percent = usage.gpu->mean_busy_percent;
  }
  if (*end == RunEnd::kOutOfMemory) {
    run.peak_vram_bytes = std::max(run.peak_vram_bytes, hold_after_oom(state, ended.grant));
    run.load_percent.reset();  // It died while it ramped up.
  }
  const std::string model = model_of(state, ended.grant);
  if (const Signature exact = signature_of(job); exact.id != SignatureId{}) {
    remember(state, job, exact, model, run, now);
  }
  if (tells_only_of_itself(run, ended)) return;
  for (const Signature& wider : {sweep_signature_of(job), program_signature_of(job)}) {
    if (wider.id != SignatureId{}) remember(state, job, wider, model, run, now);
  }
}

void learn_refusal(State& state, const Job& job, Now now) {
  const PastRunsKey key{signature_id_of(job), model_of(state, *grant_of(job))};
  if (key.signature == SignatureId{}) return;
  const PastRuns* before = state.estimates().find(key);
  PastRuns past = before ? *before : PastRuns{.key = key, .tenant = job.tenant, .runs = {}};
  if (before == nullptr) past.command = signature_of(job).command;
  past.refuses_moves = true;
  past.last = now.wall;
  state.put(std::move(past));
}

namespace {

void raise_peak(State& state, SignatureId id, AttemptId attempt, std::uint64_t peak_vram_bytes) {
  for (const auto& [key, known] : state.estimates().of(id)) {
    const auto run = std::ranges::find(known.past.runs, attempt, &PastRun::attempt);
    if (run == known.past.runs.end() || run->peak_vram_bytes >= peak_vram_bytes) continue;
    PastRuns past = known.past;
    std::ranges::find(past.runs, attempt, &PastRun::attempt)->peak_vram_bytes = peak_vram_bytes;
    state.put(std::move(past));
    return;
  }
}

}  // namespace

void learn_peak(State& state, AttemptId attempt, std::uint64_t peak_vram_bytes) {
  const Job* job = state.find(attempt.job);
  if (job == nullptr || peak_vram_bytes == 0) return;
  if (job->active() && job->current_attempt() == attempt) {
    state.seen().uses.add_known(
        attempt, {.peak_vram_bytes = peak_vram_bytes, .peak_card_vram_bytes = peak_vram_bytes});
    return;
  }
  const Signatures by = signatures_of(*job);
  for (const SignatureId id : {by.exact, by.sweep, by.program}) {
    if (id != SignatureId{}) raise_peak(state, id, attempt, peak_vram_bytes);
  }
}

}  // namespace gpusched
