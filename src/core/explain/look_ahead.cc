#include "core/explain/look_ahead.h"

#include <algorithm>
#include <queue>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "core/decide/decide.h"
#include "core/explain/excerpt.h"
#include "core/preempt/move_limits.h"
#include "core/preempt/move_time.h"
#include "core/preempt/preempt.h"
#include "core/state/pending.h"
#include "core/state/run_time.h"

namespace gpusched {
namespace {

// Of a job of which nothing is known: as long again as it has run, but at least this.
constexpr Microseconds kGuessLeast = Seconds{600};
// Of one that has not started yet.
constexpr Microseconds kGuessWaiting = Seconds{3600};
// Turns per job, beyond which something does not end.
constexpr std::size_t kTurnsPerJob = 8;

struct Ending {
  Wall at{};
  JobId job{};
  friend bool operator>(const Ending& a, const Ending& b) {
    return std::pair(a.at, a.job) > std::pair(b.at, b.job);
  }
};

class VirtualCourse {
 public:
  VirtualCourse(State state, Now now, Trust trust)
      : state_(std::move(state)), now_(now), trust_(trust) {
    state_.advance(now_);
    const std::set<JobId> aside = state_.aside();
    for (const JobId id : aside) finish_move(id);
    for (const JobId id : state_.active()) expect_end(*state_.find(id));
    turns_left_ = kTurnsPerJob * (state_.jobs().size() + 1);
  }

  // Calls `started(job, when, guessed)` for each start.
  template <class Started>
  void run(Started started) {
    while (turns_left_-- > 0) {
      bool made_room = false;
      for (const Decision& decision : decide(state_, now_).decisions) {
        // Who has to go for lack of memory is not foreseen: what was seen is of now.
        if (const auto* room = std::get_if<Preempt>(&decision)) {
          delayed_[room->for_job] = time_to_make(state_, *room);
          for (const Victim& victim : room->victims) move_aside(victim);
          made_room = true;
        }
        if (const auto* back = std::get_if<Resume>(&decision)) return_at_once(back->job);
        const auto* start = std::get_if<Start>(&decision);
        if (start == nullptr) continue;
        started(start->job, now_.wall + begin(*start), guessing_);
      }
      state_.keep_changes();
      if (made_room) continue;  // Who it was made for starts now.
      if (state_.pending().size() + state_.asleep().size() == 0 || !step()) return;
    }
  }
  // True if an estimate or a guess was used where limits would have said something else.
  bool differs_from_limits() const { return differs_; }

 private:
  // How much later it begins, because what made room for it takes time.
  Microseconds begin(const Start& start) {
    Job job = *state_.find(start.job);
    job.state = Running{.grant = start.grant, .started_at = now_.wall};
    ++job.attempt;
    const auto found = delayed_.find(start.job);
    const Microseconds delay = found == delayed_.end() ? Microseconds{0} : found->second;
    expect_end(job, delay);
    state_.put(std::move(job), now_);
    return delay;
  }

  void move_aside(const Victim& victim) {
    Job job = *state_.find(victim.job);
    expected_.erase(job.id);
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
    come_back(job, now_.wall).away += way;
    expect_end(job);
    state_.put(std::move(job), now_);
  }

  void expect_end(const Job& job, Microseconds delay = Microseconds{0}) {
    // When it is back, if it comes back.
    if (aside_phase(job) == AsidePhase::kPaused && !aside_of(job)->over_limit_until) return;
    Wall at = end_of(state_, job, now_, trust_);
    if (trust_ == Trust::kEstimates) {
      differs_ = differs_ || at == kNobodyKnows || at != end_of(state_, job, now_, Trust::kLimits);
      if (at == kNobodyKnows) {
        at = now_.wall + guess(job);
        guessed_.insert(job.id);
      }
    }
    if (at != kNobodyKnows) at += delay;
    expected_[job.id] = at;
    if (at != kNobodyKnows) ends_.push({at, job.id});
  }
  Microseconds guess(const Job& job) const {
    const auto* running = std::get_if<Running>(&job.state);
    if (running == nullptr || running->started_at >= now_.wall) return kGuessWaiting;
    return std::max(kGuessLeast, now_.wall - running->started_at);
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
      // Who was moved aside meanwhile ends later.
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
    guessing_ = guessing_ || guessed_.contains(id);
    Job job = *state_.find(id);
    Ended ended{.outcome = Outcome::kCompleted, .cause = Cause::kExit, .exit_code = 0};
    ended.ended_at = now_.wall;
    job.state = std::move(ended);
    state_.put(std::move(job), now_);
    for (const JobId dependent : state_.dependents_of(id)) state_.wake(dependent, now_);
  }

  State state_;
  Now now_;
  Trust trust_;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> ends_;
  std::unordered_map<JobId, Wall> expected_;
  std::unordered_set<JobId> guessed_;                // Ends that nobody knows.
  std::unordered_map<JobId, Microseconds> delayed_;  // Their start, by the moves that make room.
  bool guessing_ = false;
  bool differs_ = false;
  std::size_t turns_left_ = 0;
};

}  // namespace

Forecast look_ahead(Excerpt excerpt) {
  Forecast forecast{.made_at = excerpt.now, .starts = {}};
  const Now now = excerpt.now;
  VirtualCourse likely(state_of(excerpt), now, Trust::kEstimates);
  likely.run([&](JobId job, Wall at, bool guessed) {
    forecast.starts[job] = {.likely = at, .latest = at, .guessed = guessed};
  });
  if (!likely.differs_from_limits()) return forecast;
  for (auto& [job, estimate] : forecast.starts) estimate.latest.reset();
  VirtualCourse latest(state_of(std::move(excerpt)), now, Trust::kLimits);
  latest.run([&](JobId job, Wall at, bool) {
    const auto found = forecast.starts.find(job);
    // Ending early can let somebody else in first: the later of the two is what may be relied on.
    if (found != forecast.starts.end()) found->second.latest = std::max(at, found->second.likely);
  });
  return forecast;
}

}  // namespace gpusched
