#include "core/explain/look_ahead.h"

#include <algorithm>
#include <queue>
#include <set>
#include <unordered_map>

#include "base/check.h"
#include "core/decide/decide.h"
#include "core/explain/excerpt.h"
#include "core/explain/explain.h"
#include "core/model/kind.h"
#include "core/preempt/move_time.h"
#include "core/preempt/preempt.h"
#include "core/state/pending.h"
#include "core/state/run_time.h"

namespace gpusched {
namespace {

// Of a job of which nothing is known: as long again as it has run, but at least this.
constexpr Microseconds kRunsOnLeast = Seconds{600};
// Of one that has not started yet.
constexpr Microseconds kRunsIfWaiting = Seconds{3600};
// Turns per job, beyond which something does not end.
constexpr std::size_t kTurnsPerJob = 8;

struct Ending {
  Wall at{};
  JobId job{};
  friend bool operator>(const Ending& a, const Ending& b) {
    return std::pair(a.at, a.job) > std::pair(b.at, b.job);
  }
};

// What is on the cards in a course, as it comes and goes.
class Plan {
 public:
  void begin(const Job& job, bool back, Wall from) {
    if (spans_.size() == kPlannedMost) return;
    open_[job.id] = spans_.size();
    spans_.push_back({job.id, back, from, std::nullopt, grant_of(job)->cards});
  }
  // Over, or moved aside; nothing if it was on its cards from the beginning.
  void end(JobId job, Wall at) {
    const auto open = open_.find(job);
    if (open == open_.end()) return;
    PlannedSpan& span = spans_[open->second];
    span.until = std::max(span.from, at);
    open_.erase(open);
  }
  // When those end that are still there when the course is over.
  void expect(JobId job, Wall at) {
    const auto open = open_.find(job);
    if (open != open_.end() && at != kNobodyKnows) spans_[open->second].until = at;
  }
  std::vector<PlannedSpan> take() { return std::move(spans_); }

 private:
  std::vector<PlannedSpan> spans_;
  std::unordered_map<JobId, std::size_t> open_;  // Positions in spans_.
};

class VirtualCourse {
 public:
  // `plan`: is told what comes, if there is one.
  VirtualCourse(State state, Now now, Trust trust, bool ends_all = false, Plan* plan = nullptr)
      : state_(std::move(state)), now_(now), trust_(trust), ends_all_(ends_all), plan_(plan) {
    state_.advance(now_);
    const std::set<JobId> aside = state_.aside();
    for (const JobId id : aside) finish_move(id);
    for (const JobId id : state_.active()) expect_end(*state_.find(id));
    turns_left_ = kTurnsPerJob * (state_.jobs().size() + 1);
  }

  // Calls `started(job, when)` for each start.
  template <class Started>
  void run(Started started) {
    while (turns_left_-- > 0) {
      bool made_room = false;
      for (const Decision& decision : decide(state_, now_).decisions) {
        // Evictions are not foreseen: what was seen of memory is of now.
        if (const auto* room = std::get_if<Preempt>(&decision)) {
          delayed_[room->for_job] = time_to_make(state_, *room);
          for (const Victim& victim : room->victims) move_aside(victim);
          made_room = true;
        }
        if (const auto* back = std::get_if<Resume>(&decision)) return_at_once(back->job);
        const auto* start = std::get_if<Start>(&decision);
        if (start == nullptr) continue;
        started(start->job, now_.wall + begin(*start));
      }
      state_.keep_changes();
      if (made_room) continue;  // The job that it was made for starts now.
      if (nobody_waits() || !step()) return;
    }
  }
  // True if an estimate was used where limits would have said something else.
  bool differs_from_limits() const { return differs_; }
  // As everything stands when nothing more will happen that anybody foresees.
  const State& state() const { return state_; }
  Now now() const { return now_; }

 private:
  // A plan also tells when those return who are aside; to know who starts, it need not be known.
  bool nobody_waits() const {
    if (state_.pending().size() + state_.asleep().size() > 0) return false;
    return plan_ == nullptr || state_.aside().empty();
  }

  // How much later it begins, because what made room for it takes time.
  Microseconds begin(const Start& start) {
    Job job = *state_.find(start.job);
    job.state = Running{.grant = start.grant, .started_at = now_.wall};
    ++job.attempt;
    const auto found = delayed_.find(start.job);
    const Microseconds delay = found == delayed_.end() ? Microseconds{0} : found->second;
    if (plan_ != nullptr) plan_->begin(job, false, now_.wall + delay);
    expect_end(job, delay);
    state_.put(std::move(job), now_);
    return delay;
  }

  void move_aside(const Victim& victim) {
    Job job = *state_.find(victim.job);
    expected_.erase(job.id);
    if (plan_ != nullptr) plan_->end(job.id, now_.wall);
    ++job.moves;
    if (victim.mechanism == Mechanism::kFreeze || victim.mechanism == Mechanism::kCheckpoint) {
      set_aside(job, {.phase = AsidePhase::kPaused,
                      .mechanism = victim.mechanism,
                      .why = victim.idle ? AsideWhy::kIdle : AsideWhy::kRoom,
                      .since = now_.wall,
                      .host_bytes = victim.bytes});
    } else {
      job.state = Queued{};
    }
    state_.put(std::move(job), now_);
  }
  // What is on its way is taken to have arrived.
  void finish_move(JobId id) {
    Job job = *state_.find(id);
    if (aside_phase(job) == AsidePhase::kResuming) return return_at_once(id);
    Aside& aside = change_aside(job);
    if (aside.phase == AsidePhase::kPausing) {
      Microseconds& delay = delayed_[aside.for_job];
      delay = std::max(delay, gone_by(state_, job) - now_.wall);
    }
    aside.phase = AsidePhase::kPaused;
    state_.put(std::move(job), now_);
  }
  // What its return takes is time that it is away.
  void return_at_once(JobId id) {
    Job job = *state_.find(id);
    const Microseconds way = time_back(state_, job, aside_of(job)->host_bytes);
    return_to_cards(job, now_.wall).away += way;
    if (plan_ != nullptr) plan_->begin(job, true, now_.wall + way);
    expect_end(job);
    state_.put(std::move(job), now_);
  }

  void expect_end(const Job& job, Microseconds delay = Microseconds{0}) {
    // When it has returned, if it does.
    if (aside_phase(job) == AsidePhase::kPaused && !aside_of(job)->over_limit_until) return;
    Wall at = end_of(state_, job, now_, trust_);
    if (trust_ == Trust::kEstimates) {
      differs_ = differs_ || at != end_of(state_, job, now_, Trust::kLimits);
    }
    if (at == kNobodyKnows && ends_all_) at = now_.wall + rough_run(job);
    if (at != kNobodyKnows) at += delay;
    expected_[job.id] = at;
    if (plan_ != nullptr) plan_->expect(job.id, at);
    if (at != kNobodyKnows) ends_.push({at, job.id});
  }

  Microseconds rough_run(const Job& job) const {
    const auto* running = std::get_if<Running>(&job.state);
    if (running == nullptr || running->started_at >= now_.wall) return kRunsIfWaiting;
    return std::max(kRunsOnLeast, now_.wall - running->started_at);
  }

  // To the next instant at which something may change; false: there is none.
  bool step() {
    std::optional<Wall> next;
    if (!ends_.empty()) next = ends_.top().at;
    if (!state_.asleep().empty()) {
      if (const auto deadline = state_.next_deadline(now_)) {
        const Wall at = now_.wall + std::max(Microseconds{1}, *deadline - now_.boot);
        if (!next || at < *next) next = at;
      }
    }
    if (const auto change = state_.card_reservations().next_change(now_.wall)) {
      next = std::min(next.value_or(kNobodyKnows), *change);
    }
    if (const auto moves = somebody_may_be_moved()) {
      next = std::min(next.value_or(kNobodyKnows), *moves);
    }
    if (!next) return false;
    const Microseconds ahead = std::max(Microseconds{0}, *next - now_.wall);
    now_ = {now_.wall + ahead, now_.boot + ahead};
    while (!ends_.empty() && ends_.top().at <= now_.wall) {
      const Ending due = ends_.top();
      ends_.pop();
      // A job that was moved aside meanwhile ends later.
      const auto expected = expected_.find(due.job);
      if (expected != expected_.end() && expected->second == due.at) end(due.job);
    }
    state_.advance(now_);
    return true;
  }
  // When the next of those that run has had its time, where anybody who waits could move it.
  std::optional<Wall> somebody_may_be_moved() const {
    PendingWalk walk(state_.pending());
    const OrderKey* first = walk.next();
    if (first == nullptr || !may_make_room(state_, first->band)) return std::nullopt;
    std::optional<Wall> soonest;
    for (const JobId id : state_.active()) {
      const auto* running = std::get_if<Running>(&state_.find(id)->state);
      if (running == nullptr) continue;
      const Wall from = movable_from(state_, *running, now_);
      if (from > now_.wall) soonest = std::min(soonest.value_or(from), from);
    }
    return soonest;
  }
  void end(JobId id) {
    Job job = *state_.find(id);
    if (plan_ != nullptr) plan_->end(id, now_.wall);
    Ended ended{.outcome = Outcome::kCompleted, .cause = Cause::kExit, .exit_code = 0};
    ended.ended_at = now_.wall;
    job.state = std::move(ended);
    state_.put(std::move(job), now_);
    for (const JobId dependent : state_.dependents_of(id)) state_.wake(dependent, now_);
  }

  State state_;
  Now now_;
  Trust trust_;
  bool ends_all_;
  Plan* plan_;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> ends_;
  std::unordered_map<JobId, Wall> expected_;
  std::unordered_map<JobId, Microseconds> delayed_;  // Their start, by the moves that make room.
  bool differs_ = false;
  std::size_t turns_left_ = 0;
};

// Why those who never start in a course do not: who of those in their way has no end.
class Blame {
 public:
  Blame(const State& state, Now now) : state_(state), now_(now), reasons_(state, now) {}

  std::optional<StartUnknown> of(const Job& job) {
    JobId at = job.id;
    // One waits for another that waits; a chain of ten is told as far as that.
    for (int links = 0; links < 10; ++links) {
      const Job* waits = state_.find(at);
      if (waits == nullptr) return std::nullopt;
      if (waits->id != job.id) {
        if (const auto found = endless(*waits)) return found;
      }
      if (waits->active() || waits->ended()) return std::nullopt;
      const auto next = in_the_way_of(*waits);
      if (!next) return std::nullopt;
      at = *next;
    }
    return std::nullopt;
  }

 private:
  // What keeps others waiting for ever, as far as anybody knows.
  std::optional<StartUnknown> endless(const Job& job) const {
    using Why = StartUnknown::Why;
    if (std::holds_alternative<Held>(job.state)) return StartUnknown{job.id, Why::kHeld};
    if (!job.active() || end_of(state_, job, now_, Trust::kEstimates) != kNobodyKnows) {
      return std::nullopt;
    }
    if (is_aside(job)) return StartUnknown{job.id, Why::kAside};
    const bool overdue = expected_run(state_, job).has_value();
    return StartUnknown{job.id, overdue ? Why::kOverdue : Why::kEndless};
  }
  std::optional<JobId> in_the_way_of(const Job& job) {
    const std::vector<Reason>& why = reasons_.of(job);
    if (why.empty()) return std::nullopt;
    const Reason reason = why.front();
    for (const JobId id : reason.jobs) {
      const Job* other = state_.find(id);
      if (other != nullptr && endless(*other)) return id;
    }
    if (reason.code == ReasonCode::kDependency || reason.code == ReasonCode::kReserved) {
      return reason.jobs.empty() ? std::nullopt : std::optional(reason.jobs.front());
    }
    for (const JobId id : state_.active()) {
      const Job& other = *state_.find(id);
      if (is_limited_with(reason.code, job, other) && endless(other)) return id;
    }
    return std::nullopt;
  }
  static bool is_limited_with(ReasonCode code, const Job& job, const Job& other) {
    if (code == ReasonCode::kGroupLimit) return other.spec->group == job.spec->group;
    if (code == ReasonCode::kTenantQuota) return other.tenant == job.tenant;
    return code == ReasonCode::kArrayLimit && job.task && other.task &&
           other.task->array == job.task->array;
  }

  const State& state_;
  Now now_;
  WaitingReasons reasons_;
};

void find_unknown(const VirtualCourse& course, Forecast& forecast) {
  const State& state = course.state();
  if (state.pending().size() + state.asleep().size() == 0) return;
  Blame blame(state, course.now());
  for (const auto& [id, job] : state.jobs()) {
    // A job that was moved aside in the course, and waits again, has started before.
    if (!std::holds_alternative<Queued>(job.state) || forecast.starts.contains(id)) continue;
    if (const auto found = blame.of(job)) forecast.unknown[id] = *found;
  }
}

bool any_lease_unknown(const State& state, const Forecast& forecast) {
  return std::ranges::any_of(forecast.unknown, [&](const auto& entry) {
    return kind_of(*state.find(entry.first)).has_holder;
  });
}

}  // namespace

std::string describe(const StartUnknown& unknown) {
  const std::string job = "job " + to_string(unknown.job);
  switch (unknown.why) {
    case StartUnknown::Why::kEndless:
      return job + " has no time limit and has not run before";
    case StartUnknown::Why::kOverdue:
      return job + " has no time limit and runs longer than it did before";
    case StartUnknown::Why::kAside:
      return job + " is aside, and nobody knows for how long";
    case StartUnknown::Why::kHeld:
      return job + " is held";
  }
  CHECK(false);
}

Forecast look_ahead(Excerpt excerpt) {
  Forecast forecast{.made_at = excerpt.now, .starts = {}};
  const Now now = excerpt.now;
  Plan plan;
  VirtualCourse likely(state_of(excerpt), now, Trust::kEstimates, false, &plan);
  likely.run([&](JobId job, Wall at) {
    // The first time counts: who is moved aside starts again.
    forecast.starts.try_emplace(job, StartEstimate{.likely = at, .latest = at});
  });
  forecast.plan = plan.take();
  find_unknown(likely, forecast);
  if (any_lease_unknown(likely.state(), forecast)) {
    VirtualCourse rough(state_of(excerpt), now, Trust::kEstimates, true);
    rough.run([&](JobId job, Wall at) {
      const bool lease = kind_of(*rough.state().find(job)).has_holder;
      if (lease && forecast.unknown.contains(job)) forecast.rough_starts.try_emplace(job, at);
    });
  }
  if (!likely.differs_from_limits()) return forecast;
  for (auto& [job, estimate] : forecast.starts) estimate.latest.reset();
  VirtualCourse latest(state_of(std::move(excerpt)), now, Trust::kLimits);
  latest.run([&](JobId job, Wall at) {
    const auto found = forecast.starts.find(job);
    // Ending early can let somebody else in first: the later of the two is what may be relied on.
    if (found == forecast.starts.end() || found->second.latest) return;
    found->second.latest = std::max(at, found->second.likely);
  });
  return forecast;
}

}  // namespace gpusched
