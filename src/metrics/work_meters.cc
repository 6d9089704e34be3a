#include "metrics/work_meters.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/model/kind.h"

namespace gpusched::metrics {
namespace {

double seconds_of(Microseconds time) { return std::chrono::duration<double>(time).count(); }

bool gives_way(StopReason stopping) {
  return stopping == StopReason::kMakeRoom || stopping == StopReason::kPressure;
}

JobPlace place_of(const Job& job) {
  if (job.ended()) return JobPlace::kEnded;
  if (std::holds_alternative<Starting>(job.state)) return JobPlace::kStarts;
  if (!std::holds_alternative<Running>(job.state)) return JobPlace::kWaits;
  const auto phase = aside_phase(job);
  if (!phase) return JobPlace::kRuns;
  switch (*phase) {
    case AsidePhase::kPausing:
      return JobPlace::kLeaves;
    case AsidePhase::kPaused:
      return JobPlace::kAway;
    case AsidePhase::kResuming:
      return JobPlace::kReturns;
  }
  return JobPlace::kRuns;
}

JobStep step_of(const Job& job) {
  JobStep step{.job = job.id,
               .attempt = job.attempt,
               .place = place_of(job),
               .lease = kind_of(job).has_holder,
               .adopted = kind_of(job).taken_over(),
               .submitted_at = job.submitted_at,
               .tenant = job.tenant};
  if (const auto* starting = std::get_if<Starting>(&job.state)) {
    step.decided_at = starting->decided_at;
  }
  if (const auto* running = std::get_if<Running>(&job.state)) {
    step.started_at = running->started_at;
    step.cards = static_cast<std::int64_t>(running->grant.cards.size());
    if (gives_way(running->stopping)) {
      step.mechanism = job.spec->saves ? Mechanism::kCooperative : Mechanism::kRequeue;
    }
  }
  if (const Aside* aside = aside_of(job)) {
    step.mechanism = aside->mechanism;
    step.decided = !aside->by_hand;
    step.still = aside->why == AsideWhy::kStill;
    step.bytes = aside->mechanism == Mechanism::kCheckpoint ? aside->host_bytes : 0;
  }
  if (const auto* ended = std::get_if<Ended>(&job.state)) {
    step.outcome = ended->outcome;
    if (ended->outcome == Outcome::kFailed) step.cause = ended->cause;
    step.started_at = ended->started_at;
    step.cards = static_cast<std::int64_t>(ended->grant.cards.size());
    if (ended->started_at) step.ran = ended->ended_at - *ended->started_at;
  }
  return step;
}

bool is_end(const std::string& kind) {
  return kind == "completed" || kind == "failed" || kind == "cancelled";
}

}  // namespace

// What can happen stands there from the beginning: a rate needs a zero to start from.
WorkMeters::WorkMeters() {
  ended_[{Outcome::kCompleted, std::nullopt}] = 0;
  ended_[{Outcome::kCancelled, std::nullopt}] = 0;
  for (const Cause cause : kAllCauses) ended_[{Outcome::kFailed, cause}] = 0;
}

void WorkMeters::begin_with(const StateView& state, Now now) {
  for (const JobId id : state.active()) {
    const JobStep step = step_of(*state.find(id));
    Known& known = known_[id];
    known = {.attempt = step.attempt,
             .place = step.place,
             .decided_at = step.decided_at,
             .move = {},
             .bytes = step.bytes,
             .tenant = step.tenant};
    hold_cards(known, step.place == JobPlace::kRuns ? step.cards : 0, now);
  }
}

std::vector<JobStep> WorkMeters::steps_of(const Delta<Job>& jobs,
                                          const std::vector<TrailEntry>& trail) const {
  std::vector<JobId> ended;
  for (const TrailEntry& entry : trail) {
    if (is_end(entry.kind)) ended.push_back(entry.job);
  }
  std::ranges::sort(ended);
  std::vector<JobStep> steps;
  for (const Job& job : jobs.put) {
    const bool ends = job.ended() && std::ranges::binary_search(ended, job.id);
    if (!ends && !job.active() && !known_.contains(job.id)) continue;
    steps.push_back(step_of(job));
    steps.back().ends_now = ends;
  }
  for (const JobId id : jobs.removed) {
    if (known_.contains(id)) steps.push_back({.job = id, .place = JobPlace::kEnded});
  }
  return steps;
}

void WorkMeters::count(const std::vector<JobStep>& steps, Now now) {
  for (const JobStep& step : steps) count(step, now);
}

void WorkMeters::count(const JobStep& step, Now now) {
  const auto found = known_.find(step.job);
  const bool active = step.place != JobPlace::kWaits && step.place != JobPlace::kEnded;
  if (found != known_.end() && (!active || found->second.attempt != step.attempt)) {
    end_attempt(step, found->second, now);
    known_.erase(found);
  }
  if (active) {
    const auto [entry, fresh] = known_.try_emplace(step.job);
    if (fresh) begin_attempt(step, entry->second, now);
    follow(step, entry->second, now);
  } else if (step.ends_now) {
    ++ended_[{step.outcome, step.cause}];
    if (step.ran) times_[step.lease ? 1 : 0].run.observe(seconds_of(*step.ran));
  }
}

void WorkMeters::begin_attempt(const JobStep& step, Known& known, Now now) {
  known.attempt = step.attempt;
  known.tenant = step.tenant;
  known.place = step.place;
  // Of an adopted process nobody decided that it starts.
  if (step.adopted) return;
  ++starts_;
  if (step.attempt == 1) {
    // A lease is granted as it is decided.
    const Wall decided = step.decided_at.value_or(step.started_at.value_or(now.wall));
    times_[step.lease ? 1 : 0].wait.observe(seconds_of(decided - step.submitted_at));
  }
  known.decided_at = step.decided_at;
}

// A short job has ended by the time that anybody hears of its start.
void WorkMeters::see_start(const JobStep& step, Known& known) {
  if (!known.decided_at || !step.started_at) return;
  times_[step.lease ? 1 : 0].start.observe(seconds_of(*step.started_at - *known.decided_at));
  known.decided_at.reset();
}

void WorkMeters::follow(const JobStep& step, Known& known, Now now) {
  const JobPlace before = std::exchange(known.place, step.place);
  const bool another = known.move && known.move->mechanism != step.mechanism;
  switch (step.place) {
    case JobPlace::kRuns:
      see_start(step, known);
      if (before == JobPlace::kLeaves) end_move(known, Result::kFailed, now);
      if (before == JobPlace::kReturns) end_move(known, Result::kDone, now);
      if (step.mechanism && !known.move) begin_move(step, known, true, now);
      break;
    case JobPlace::kLeaves:
      if (before == JobPlace::kLeaves && another) end_move(known, Result::kFailed, now);
      if (before != JobPlace::kLeaves || another) begin_move(step, known, true, now);
      break;
    case JobPlace::kAway:
      known.bytes = step.bytes;
      if (before == JobPlace::kLeaves) end_move(known, Result::kDone, now);
      if (before == JobPlace::kReturns) end_move(known, Result::kFailed, now);
      break;
    case JobPlace::kReturns:
      if (before != JobPlace::kReturns) begin_move(step, known, false, now);
      break;
    case JobPlace::kStarts:
    case JobPlace::kWaits:
    case JobPlace::kEnded:
      break;
  }
  // As the report has it: time aside, and the way there and back, is no time on the cards.
  hold_cards(known, step.place == JobPlace::kRuns ? step.cards : 0, now);
}

void WorkMeters::end_attempt(const JobStep& step, Known& known, Now now) {
  hold_cards(known, 0, now);
  if (step.attempt == known.attempt) {
    see_start(step, known);
    if (known.place == JobPlace::kStarts && step.ran && step.cards > 0) {
      seconds_.add(known.tenant, static_cast<double>(step.cards) * seconds_of(*step.ran));
    }
  }
  const bool again = step.place == JobPlace::kWaits || step.attempt > known.attempt;
  if (again) ++requeued_;
  if (!known.move) return;
  const bool by_end = known.move->mechanism == Mechanism::kCooperative ||
                      known.move->mechanism == Mechanism::kRequeue;
  end_move(known, by_end && again ? Result::kDone : Result::kEnded, now);
}

void WorkMeters::begin_move(const JobStep& step, Known& known, bool out, Now now) {
  const Mechanism how = step.mechanism.value_or(Mechanism::kFreeze);
  const bool by_end = how == Mechanism::kCooperative || how == Mechanism::kRequeue;
  known.move = Move{how, out, now.boot};
  if (!step.decided && !by_end) return;
  ++(step.still && out ? stops_ : out ? moves_aside_ : returns_);
}

void WorkMeters::end_move(Known& known, Result result, Now now) {
  // Begun before our time.
  if (!known.move) return;
  const Move move = *std::exchange(known.move, std::nullopt);
  const MoveKey key{move.mechanism, move.out};
  ++moves_[{key, result}];
  if (result != Result::kDone) return;
  move_times_.try_emplace(key, kStartBounds)
      .first->second.observe(seconds_of(now.boot - move.since));
  moved_bytes_[move.out ? 0 : 1] += known.bytes;
}

void WorkMeters::hold_cards(Known& known, std::int64_t cards, Now now) {
  if (cards == known.cards) return;
  seconds_.change(known.tenant, cards - known.cards, now.boot);
  known.cards = cards;
}

}  // namespace gpusched::metrics
