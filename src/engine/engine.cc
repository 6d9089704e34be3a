#include "engine/engine.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "core/apply/retention.h"
#include "core/decide/decide.h"
#include "core/notify/job_notices.h"
#include "core/state/state.h"
#include "engine/launch_order.h"

namespace gpusched {
namespace {

// News that can be read again from the job directories need not hurry to disk: it rides with the
// next commit, or with its own after this long.
constexpr Microseconds kLazyWait{20'000};
constexpr std::size_t kReleasedPerTurn = 1000;
constexpr std::size_t kEventsPerTurn = 4000;
constexpr std::size_t kRemovedPerTurn = 100;

bool is_lazy(const Event& event) {
  return std::holds_alternative<AttemptRunning>(event) || std::holds_alternative<CardSeen>(event) ||
         std::holds_alternative<ProcessAccounted>(event) ||
         std::holds_alternative<ProgressSeen>(event);
}

}  // namespace

Engine::Engine(State state, Site site, Options options)
    : owned_state_(std::make_unique<State>(std::move(state))),
      state_(*owned_state_),
      here_(site),
      options_(std::move(options)) {
  here_.launcher.report_to([this](LauncherReport said) { report(std::move(said)); });
  here_.mover.report_to([this](MoverReport said) { report(std::move(said)); });
}

Engine::~Engine() = default;

const StateView& Engine::state() const { return state_; }
void Engine::check_invariants(const std::set<JobId>& found) const {
  state_.check_invariants(found);
}

void Engine::post(Event event, AnswerFn answer, std::shared_ptr<Asked> asked) {
  // What runs can be ended also while nothing can be written down.
  const bool cancels = std::holds_alternative<CancelAsked>(event);
  if (degraded_ && answer && cancels) degraded_->retry_at = Boot{};
  if (answer && degraded_ && !cancels) {
    answer(failure(degraded_->error));
    return;
  }
  if (answer && queue_.size() >= options_.backlog) {
    answer(failure(ErrorCode::kBusy, "too many requests are waiting; try again in a moment"));
    return;
  }
  auto* requeue = std::get_if<RequeueAsked>(&event);
  if (requeue != nullptr && options_.read_environments && !requeue->environments) {
    return with_environments(std::move(*requeue), {{}, std::move(answer), std::move(asked)});
  }
  gather({std::move(event), std::move(answer), std::move(asked)});
}

void Engine::gather(Posted posted) {
  if (posted.answer && is_bulk(posted.event)) {
    begin_bulk(std::move(posted));
  } else {
    queue_.push_back(std::move(posted));
  }
  if (wake_) wake_();
}

bool Engine::refuse_for_disk(const AnswerFn& answer) const {
  if (!answer || !state_.disk_full()) return false;
  answer(failure(ErrorCode::kStorageFull,
                 "the disk that holds the state directory is full; new jobs are taken again when "
                 "there is room"));
  return true;
}

void Engine::ask_leases(LeasesAsked all, AnswerFn answer, std::shared_ptr<Asked> asked) {
  if (refuse_for_disk(answer)) return;
  for (SubmitAsked& one : all.leases) one.submission = next_submission_++;
  post(std::move(all), std::move(answer), std::move(asked));
}

void Engine::submit(SubmitAsked whole, AnswerFn answer, std::shared_ptr<Asked> asked) {
  if (refuse_for_disk(answer)) return;
  whole.submission = next_submission_++;
  whole.total = whole.tasks.size();
  if (whole.tasks.size() <= options_.slice) {
    post(std::move(whole), std::move(answer), std::move(asked));
    return;
  }
  if (degraded_) {
    answer(failure(degraded_->error));
    return;
  }
  large_.push_back({std::move(whole), std::move(answer), std::move(asked)});
  if (wake_) wake_();
}

void Engine::report(LauncherReport report) {
  const auto tell = [this]<class Said>(Said& said) {
    if constexpr (std::is_same_v<Said, SupervisorLost>) {
      post(end_by(said));
    } else {
      post(std::move(said));
    }
  };
  std::visit(tell, report);
}

void Engine::report(MoverReport report) {
  std::visit([this](auto& said) { post(std::move(said)); }, report);
}

AttemptFinished Engine::end_by(const SupervisorLost& lost) const {
  AttemptFinished finished{.attempt = lost.attempt, .cause = Cause::kSupervisorLost};
  finished.message = "its supervisor died; the job was ended with it";
  if (elsewhere_.contains(lost.attempt)) finished.message = kRunsElsewhere;
  if (of_former_boot_.contains(lost.attempt)) {
    finished.cause = Cause::kMachineLost;
    finished.message = "the machine went down while it ran";
  }
  finished.ended_at = lost.noticed_at;
  return finished;
}

bool Engine::wants_turn(Now now) const {
  if (committing_) return false;
  if (degraded_) return now.boot >= degraded_->retry_at;
  if (!queue_.empty() || !large_.empty() || !bulks_.empty() || releasing_ || boot_id_to_write_)
    return true;
  if (lazy_until_ && now.boot >= *lazy_until_) return true;
  if (!notes_.empty() && (!notes_until_ || notes_due(now))) return true;
  const auto deadline = next_deadline(now);
  return deadline && *deadline <= now.boot;
}

std::optional<Boot> Engine::next_deadline(Now now) const {
  if (degraded_) return degraded_->retry_at;
  std::optional<Boot> next = state_.next_deadline(now);
  const auto consider = [&next](Boot at) {
    if (!next || at < *next) next = at;
  };
  if (lazy_until_) consider(*lazy_until_);
  if (notes_until_) consider(*notes_until_);
  if (const auto removal = next_retention(state_)) {
    const Wall by = clock_watch_.trusted(now);
    consider(*removal <= by ? now.boot : now.boot + (*removal - by));
  }
  return next;
}

void Engine::apply_one(Posted posted, Now now) {
  flight_.lazy = flight_.lazy && is_lazy(posted.event);
  if (const auto* seen = std::get_if<AlarmsSeen>(&posted.event)) {
    flight_.looked = std::max(flight_.looked, seen->looked);
  }
  Applied applied;
  if (auto before = told_before(posted.asked, posted.event, now)) {
    applied.answer = std::move(*before);
  } else {
    applied = apply(state_, posted.event, now);
    note_cancels(posted.event, applied);
    record(posted.asked, posted.event, applied.answer, now);
  }
  std::ranges::move(applied.effects, std::back_inserter(flight_.effects));
  std::ranges::move(applied.follow_up, std::back_inserter(flight_.follow_up));
  flight_.answers.emplace_back(flight_.events.size(), std::move(applied.answer));
  flight_.events.push_back(std::move(posted));
}

std::size_t Engine::slice_now() const {
  const bool others_wait =
      std::ranges::any_of(flight_.events, [](const Posted& one) { return bool(one.answer); });
  return others_wait ? std::min(options_.slice, options_.slice_beside) : options_.slice;
}

// One slice of each large submission per turn, so that everybody else gets theirs.
void Engine::take_slices(Now now) {
  const std::size_t most = slice_now();
  for (auto large = large_.begin(); large != large_.end();) {
    const std::size_t end = std::min(large->whole.tasks.size(), large->done + most);
    std::vector<SubmitAsked::Task> tasks = std::exchange(large->whole.tasks, {});
    SubmitAsked slice = large->whole;
    large->whole.tasks = std::move(tasks);
    slice.offset = large->done;
    slice.first_slice = large->done == 0;
    slice.last_slice = end == large->whole.tasks.size();
    std::move(large->whole.tasks.begin() + static_cast<std::ptrdiff_t>(large->done),
              large->whole.tasks.begin() + static_cast<std::ptrdiff_t>(end),
              std::back_inserter(slice.tasks));
    large->done = end;
    flight_.lazy = false;
    Applied applied = apply(state_, slice, now);
    const bool over = slice.last_slice || !std::holds_alternative<std::monostate>(applied.answer);
    flight_.slices.push_back(large->whole.submission);
    if (const auto* whole = std::get_if<Submitted>(&applied.answer); whole && slice.last_slice) {
      flight_.completed.push_back(*whole);
    }
    if (!over) {
      ++large;
      continue;
    }
    record(large->asked, Reconsider{}, applied.answer, now);
    flight_.answers.emplace_back(flight_.events.size(), std::move(applied.answer));
    flight_.events.push_back({Reconsider{}, std::move(large->answer)});
    large = large_.erase(large);
  }
}

std::optional<Commit> Engine::begin_turn(Now now) {
  CHECK(!committing_);
  releasing_ = state_.release_closed_submissions(kReleasedPerTurn, now);
  const auto due = state_.next_deadline(now);
  if (due && *due <= now.boot) apply_one({TimePassed{}, {}}, now);
  for (std::size_t i = 0; i < kEventsPerTurn && !queue_.empty(); ++i) {
    Posted posted = std::move(queue_.front());
    queue_.pop_front();
    apply_one(std::move(posted), now);
  }
  take_slices(now);
  take_bulks(now);
  clock_watch_.look(now);
  const Wall by = clock_watch_.trusted(now);
  if (const auto removal = next_retention(state_); removal && *removal <= by) {
    apply_one({RetentionDue{kRemovedPerTurn, by}, {}}, now);
  }
  for (const Decision& decision : decide(state_, now).decisions) {
    Applied applied = accept(state_, decision, now);
    if (applied.looks.empty()) flight_.lazy = false;
    std::ranges::move(applied.effects, std::back_inserter(flight_.effects));
    for (const CardNumber card : applied.looks) {
      if (look_) look_(card);
    }
  }

  await_notes(now);
  const bool nothing_to_write = !state_.has_changes() && !boot_id_to_write_ && !degraded_ &&
                                flight_.audit.empty() && !notes_due(now);
  if (nothing_to_write) {
    state_.keep_changes();
    deliver(std::exchange(flight_, {}));
    return std::nullopt;
  }
  if (flight_.lazy && !boot_id_to_write_ && !degraded_ && !notes_due(now)) {
    if (!lazy_until_) lazy_until_ = now.boot + kLazyWait;
    if (now.boot < *lazy_until_) {
      tell_owners(now);  // It is shown from now on, whatever comes before the commit.
      return std::nullopt;
    }
  }
  lazy_until_.reset();
  tell_owners(now);  // In the commit of what is told.
  committing_ = true;
  State::Changes changes = state_.changes();
  trail_in_flight_ = changes.trail;
  const bool leases_alone = changes.leases_alone;
  Commit commit{std::move(static_cast<Durable<Delta>&>(changes)), trail_in_flight_};
  for (const Job& job : commit.jobs.put) {
    if (job.ended()) flight_.ended.push_back(job.id);
  }
  commit.cancels = flight_.cancels;
  // Those that were kept stand first in the queue, and fewer can be kept than one turn takes.
  commit.has_kept_cancels = true;
  write_audit(commit, now);
  commit.boot_id = boot_id_to_write_;
  commit.clock = clock_watch_.trusted(now);
  commit.past = state_.past(now);
  commit.past_bounds = {*commit.clock - state_.rules().past_keep_for, state_.rules().past_most};
  commit.alarms_looked = std::max(alarms_looked_, flight_.looked);
  commit.outlives_machine = !leases_alone || commit.boot_id.has_value();
  return commit;
}

void Engine::finish_turn(const Committed& committed, Now now) {
  CHECK(committing_);
  committing_ = false;
  if (!committed) {
    undo(committed.error(), now);
    return;
  }
  degraded_.reset();
  boot_id_to_write_.reset();
  state_.keep_changes();
  put_environments_away(flight_.ended);
  releasing_ = releasing_ || state_.has_closed_to_release();
  const std::vector<JobChange> told =
      changes_to_tell(std::exchange(trail_in_flight_, {}), flight_.completed);
  deliver(std::exchange(flight_, {}));
  if (listener_ && !told.empty()) listener_(told);
}

void Engine::tell_owners(Now now) {
  std::ranges::move(tell_of_jobs(state_, now), std::back_inserter(flight_.untold));
}

std::vector<JobChange> Engine::changes_to_tell(const std::vector<TrailEntry>& trail,
                                               const std::vector<Submitted>& completed) const {
  std::vector<JobChange> told;
  told.reserve(trail.size());
  for (const TrailEntry& entry : trail) {
    if (!state_.in_open_submission(entry.job)) told.push_back({entry.sequence, entry.job});
  }
  for (const Submitted& whole : completed) {
    const std::uint64_t first = number_of(whole.first);
    const auto last_slice = std::ranges::find_if(told, [&](const JobChange& change) {
      return number_of(change.job) >= first && number_of(change.job) < first + whole.count;
    });
    if (last_slice != told.end()) last_slice->since = whole.first;
  }
  return told;
}

NearCpus Engine::near(const Grant& grant) const { return near_of(state_, grant, options_); }

std::vector<std::pair<std::string, std::string>> Engine::card_variables(const Grant& grant) const {
  auto variables = card_variables_of(state_, grant, options_);
  if (!options_.sim_world.empty()) {
    variables.emplace_back("GPUSCHED_SIM_WORLD", options_.sim_world);
    variables.emplace_back("LD_LIBRARY_PATH", options_.sim_libraries);
  }
  return variables;
}

}  // namespace gpusched
