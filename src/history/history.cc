#include "history/history.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "history/history_place.h"
#include "os/log.h"

namespace gpusched::history {
namespace {

// Each is a few milliseconds of work; who asks more often than that is told so.
constexpr std::size_t kQuestionsMost = 64;

std::size_t count_of(const Points& points) { return points.cards.size() + points.jobs.size(); }

}  // namespace

std::unique_ptr<History> History::open(Options options) {
  return std::unique_ptr<History>(new History(std::move(options)));
}

History::History(Options options) : options_(std::move(options)) {
  if (options_.size_most == 0) {
    off_because_ = "history.size_most is 0";
    return;
  }
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    off_because_ = std::string("there is no thread for it: ") + error.what();
  }
}

History::~History() { close(); }

void History::close() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void History::add(Points points) {
  if (count_of(points) > 0) give(std::move(points));
}
void History::forget(JobId job) { give(job); }
void History::forget_all_but(std::vector<JobId> kept) {
  std::ranges::sort(kept);
  give(KeepOnly{std::move(kept)});
}

void History::ask(Question question, std::function<void(Result<Answer>)> done) {
  Error refused;
  {
    const std::lock_guard lock(mutex_);
    if (!off_because_.empty()) {
      refused = {ErrorCode::kUnavailable, "no history is kept: " + off_because_};
    } else if (waiting_questions_ >= kQuestionsMost) {
      refused = {ErrorCode::kBusy, "too many questions about the history at once; try again"};
    }
  }
  if (!refused.message.empty()) {
    return options_.post_to_loop([refused, done = std::move(done)] { done(failure(refused)); });
  }
  give(Asked{question, std::move(done)});
}

void History::give(Work work) {
  {
    const std::lock_guard lock(mutex_);
    // A question that came in just before is still owed its answer.
    const bool question = std::holds_alternative<Asked>(work);
    if (ending_ || (!off_because_.empty() && !paused_ && !question)) return;
    if (const Points* points = std::get_if<Points>(&work)) waiting_points_ += count_of(*points);
    if (question) ++waiting_questions_;
    work_.push_back(std::move(work));
    while (waiting_points_ > options_.waiting_most) drop_oldest_points();
  }
  changed_.notify_one();
}

void History::drop_oldest_points() {
  const auto oldest = std::ranges::find_if(
      work_, [](const Work& work) { return std::holds_alternative<Points>(work); });
  if (oldest == work_.end()) return;
  const std::size_t count = count_of(std::get<Points>(*oldest));
  if (dropped_ == 0) log_warning("history cannot keep up and drops points; is the disk slow?");
  dropped_ += count;
  waiting_points_ -= count;
  work_.erase(oldest);
}

std::uint64_t History::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

std::string History::off_because() const {
  const std::lock_guard lock(mutex_);
  return off_because_;
}

void History::run() {
  start();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !work_.empty(); });
    if (work_.empty()) break;
    Work work = std::move(work_.front());
    work_.pop_front();
    if (const Points* points = std::get_if<Points>(&work)) waiting_points_ -= count_of(*points);
    if (std::holds_alternative<Asked>(work)) --waiting_questions_;
    lock.unlock();
    carry_out(work);
    lock.lock();
  }
  lock.unlock();
  if (recorder_ == nullptr) return;
  if (Result<void> saved = recorder_->save_all(); !saved) switch_off(saved.error().message);
  recorder_.reset();
}

void History::start() {
  Result<std::string> path = prepare_file(options_.directory);
  if (!path) return stop_for(path.error());
  path_ = std::move(*path);
  bool damaged = false;
  const RecorderOptions how{options_.tiers, options_.size_most, options_.keep_free_bytes,
                            options_.vfs};
  Result<std::unique_ptr<Recorder>> recorder = Recorder::open(path_, how, damaged);
  if (recorder) {
    recorder_ = std::move(*recorder);
  } else if (damaged) {
    begin_anew(recorder.error());
  } else {
    stop_for(recorder.error());
  }
}

void History::carry_out(Work& work) {
  if (Asked* asked = std::get_if<Asked>(&work)) return answer(*asked);
  if (recorder_ == nullptr && !resume()) {
    if (const JobId* job = std::get_if<JobId>(&work)) forget_later_.push_back(*job);
    return;
  }
  Result<void> done;
  if (const Points* points = std::get_if<Points>(&work)) {
    done = recorder_->add(*points);
  } else if (const JobId* job = std::get_if<JobId>(&work)) {
    done = recorder_->forget(*job);
  } else {
    done = recorder_->forget_all_but(std::get<KeepOnly>(work).jobs);
  }
  if (!done) give_up(done.error());
}

void History::answer(Asked& asked) {
  Result<Answer> found = failure(ErrorCode::kUnavailable, "no history is kept: " + off_because());
  if (recorder_ != nullptr) {
    found = recorder_->answer(asked.question);
    if (!found) give_up(found.error());
  }
  // std::function wants copyable captures; an answer is large, so it is shared instead.
  auto shared = std::make_shared<Result<Answer>>(std::move(found));
  options_.post_to_loop([shared, done = std::move(asked.done)] { done(std::move(*shared)); });
}

void History::give_up(const Error& error) {
  if (recorder_->damaged()) return begin_anew(error);
  stop_for(error);
}

void History::stop_for(const Error& error) {
  if (error.code == ErrorCode::kStorageFull) return pause(error.message);
  switch_off(error.message);
}

void History::pause(const std::string& reason) {
  recorder_.reset();
  const std::lock_guard lock(mutex_);
  if (!paused_)
    log_warning("history pauses until there is room on the disk; the queue is not affected",
                {{"reason", reason}});
  off_because_ = reason;
  paused_ = true;
}

bool History::resume() {
  {
    const std::lock_guard lock(mutex_);
    if (!paused_) return false;
  }
  // A little more than it paused for, so that it does not begin and end with every block written.
  const std::uint64_t least = options_.keep_free_bytes;
  const std::uint64_t wanted = least > UINT64_MAX / 2 ? least : least + least / 8;
  if (!require_space(options_.directory, wanted)) return false;
  start();
  if (recorder_ == nullptr) return false;
  for (const JobId job : std::exchange(forget_later_, {})) {
    if (Result<void> done = recorder_->forget(job); !done) {
      give_up(done.error());
      return false;
    }
  }
  log_info("history goes on: there is room on the disk again");
  const std::lock_guard lock(mutex_);
  off_because_.clear();
  paused_ = false;
  return true;
}

void History::begin_anew(const Error& error) {
  recorder_.reset();
  // Twice in one run is no accident of the past.
  if (std::exchange(begun_anew_, true)) return switch_off(error.message);
  Result<std::string> aside = move_aside(path_);
  if (!aside) return switch_off(aside.error().message);
  log_warning("history is damaged and begins anew; the queue is not affected",
              {{"reason", error.message}, {"moved_to", *aside}});
  start();
}

void History::switch_off(const std::string& reason) {
  recorder_.reset();
  log_warning("history is switched off until the next start; the queue is not affected",
              {{"reason", reason}});
  const std::lock_guard lock(mutex_);
  off_because_ = reason;
  paused_ = false;
}

}  // namespace gpusched::history
