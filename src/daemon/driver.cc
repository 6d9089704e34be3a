#include "daemon/driver.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "os/clock.h"
#include "os/log.h"

namespace gpusched {
namespace {

double seconds_between(Now from, Now to) {
  return std::chrono::duration<double>(to.boot - from.boot).count();
}

}  // namespace

Driver::Driver(boost::asio::io_context& loop, Engine& engine, StoreThread& store,
               std::function<void()> after_turn)
    : loop_(loop), engine_(engine), store_(store), after_turn_(std::move(after_turn)) {}

Result<void> Driver::start() {
  auto timer = BootTimer::create(loop_, [this] { schedule(); });
  if (!timer) return failure(timer.error());
  timer_ = std::move(*timer);
  engine_.on_work([this] { schedule(); });
  schedule();
  return {};
}

// Behind the handlers that are ready already, so that what they bring shares the turn.
void Driver::schedule() {
  if (scheduled_ || stopping_) return;
  scheduled_ = true;
  boost::asio::post(loop_, [this] {
    scheduled_ = false;
    turn();
  });
}

void Driver::turn() {
  if (stopping_ || engine_.committing()) return;
  const Now now = read_clock();
  if (!engine_.wants_turn(now)) {
    rest();
    return;
  }
  auto commit = engine_.begin_turn(now);
  handed_over_ = read_clock();
  if (turn_meters_ != nullptr) turn_meters_->turn.observe(seconds_between(now, handed_over_));
  if (!commit) {
    after_turn_();
    if (engine_.wants_turn(read_clock())) {
      schedule();
    } else {
      rest();
    }
    return;
  }
  if (log_enabled(LogLevel::kDebug)) {
    for (const TrailEntry& entry : commit->trail) {
      log_debug(entry.text, {{"job", entry.job}, {"attempt", entry.attempt}, {"what", entry.kind}});
    }
  }
  if (work_meters_ != nullptr) steps_ = work_meters_->steps_of(commit->jobs, commit->trail);
  const std::vector<JobId> removed = commit->jobs.removed;
  const CommitEnds ends = begins_ ? begins_(*commit) : CommitEnds();
  store_.commit(std::move(*commit), [this, removed, ends](const Committed& committed) {
    if (ends) ends(committed.has_value());
    if (committed && forgotten_) std::ranges::for_each(removed, forgotten_);
    if (!committed && !complained_) {
      log_error("the store does not take commits; new work is refused until it does",
                {{"reason", committed.error().message}});
    }
    if (committed && complained_) log_info("the store takes commits again");
    complained_ = !committed;
    const Now done = read_clock();
    count(committed, done);
    engine_.finish_turn(committed, done);
    after_turn_();
    if (stopping_) {
      if (idle_) idle_();
      return;
    }
    turn();
  });
  engine_.prepare_launches();
}

// What the store did not take never happened.
void Driver::count(const Committed& committed, Now now) {
  if (turn_meters_ != nullptr) {
    turn_meters_->commit.observe(seconds_between(handed_over_, now));
    if (!committed) ++turn_meters_->commits_failed;
  }
  if (work_meters_ != nullptr && committed) work_meters_->count(steps_, now);
  steps_.clear();
}

void Driver::rest() { timer_->set(engine_.next_deadline(read_clock())); }

void Driver::stop(std::function<void()> idle) {
  stopping_ = true;
  idle_ = std::move(idle);
  if (!engine_.committing()) idle_();
}

}  // namespace gpusched
