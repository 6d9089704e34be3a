#include "launch/move_queue.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "os/clock.h"

namespace gpusched {
namespace {

bool share_a_card(const MoveOrder& one, const MoveOrder& other) {
  return std::ranges::any_of(one.room, [&](const MoveOrder::CardRoom& card) {
    return std::ranges::any_of(
        other.room, [&](const MoveOrder::CardRoom& another) { return card.uuid == another.uuid; });
  });
}

}  // namespace

MoveQueue::MoveQueue(boost::asio::io_context& loop, std::string state_directory, MoverOptions mover,
                     Ports ports)
    : loop_(loop),
      state_directory_(std::move(state_directory)),
      mover_(std::move(mover)),
      ports_(std::move(ports)) {}

void MoveQueue::order(MoveOrder order, bool out) {
  const bool repeated = std::ranges::any_of(tasks_, [&](const Task& task) {
    return task.order.attempt == order.attempt && !task.ended && task.out == out &&
           task.order.checkpoint == order.checkpoint;
  });
  if (repeated) return;
  Task& task = tasks_.emplace_back();
  task.number = ++last_number_;
  task.order = std::move(order);
  task.out = out;
  task.began = read_clock().boot;
  boost::asio::post(loop_, [self = weak_from_this()] {
    if (const auto queue = self.lock()) queue->look();
  });
}

MoveQueue::Task* MoveQueue::find(std::uint64_t number) {
  const auto found = std::ranges::find(tasks_, number, &Task::number);
  return found == tasks_.end() ? nullptr : &*found;
}

MoveQueue::Task* MoveQueue::find(AttemptId attempt, const std::string& token) {
  const auto found = std::ranges::find_if(tasks_, [&](const Task& task) {
    return task.order.attempt == attempt && !token.empty() && task.token == token;
  });
  return found == tasks_.end() ? nullptr : &*found;
}

bool MoveQueue::must_wait(const Task& task) const {
  if (!task.order.holder && !ports_.runs(task.order.attempt)) return true;
  for (const Task& earlier : tasks_) {
    if (&earlier == &task) return false;
    if (earlier.order.attempt == task.order.attempt) return true;
    const bool both = earlier.order.checkpoint && task.order.checkpoint;
    if (both && share_a_card(earlier.order, task.order)) return true;
  }
  return false;
}

// Each mover looks at what the host has left; what others are about to take is still there then.
std::uint64_t MoveQueue::ram_promised_beside(const Task& task) const {
  std::uint64_t bytes = 0;
  for (const Task& other : tasks_) {
    const bool moving = other.step == Step::kAsked || other.step == Step::kMoving;
    if (other.number != task.number && other.out && moving) bytes += other.order.host_bytes;
  }
  return bytes;
}

void MoveQueue::look() {
  for (Task& task : tasks_) {
    if (task.step == Step::kWaiting && !task.ended && !must_wait(task)) begin(task);
  }
}

void MoveQueue::begin(Task& task) {
  if (task.order.holder) return begin_unsupervised(task);
  if (!task.order.checkpoint) {
    ask_shim(task, task.out ? Step::kFreezing : Step::kWaking);
    return;
  }
  // What a mover has stopped only a mover may wake: its threads have to be held first.
  // Who returns and has left no record is woken by nobody else either.
  const auto last = read_record(task.order.attempt);
  if (last ? last->stopped : !task.out) {
    start_mover(task);
  } else {
    ask_shim(task, Step::kWaking);
  }
}

void MoveQueue::on_result(Task& task) {
  task.mover.reset();
  task.late.reset();
  if (task.ended) {
    drop(task);
    return;
  }
  if (task.order.holder) {
    conclude(task);
    return;
  }
  const bool aside = task.result->moved ? task.out : task.result->left == MoveLeft::kAside;
  const bool runs = !aside || (task.order.awake && !task.result->stopped);
  ask_shim(task, runs ? Step::kRunning : Step::kFreezing);
}

void MoveQueue::conclude(Task& task) {
  const AttemptId attempt = task.order.attempt;
  MoveTimes times = task.result ? task.result->times : MoveTimes{};
  times.whole = read_clock().boot - task.began;
  const std::uint64_t copied = task.result ? task.result->copied : 0;
  LauncherReport report = BroughtBack{attempt, times, copied};
  if (task.result && !task.result->moved) {
    report = MoveFailed{attempt, task.result->left, task.result->never, task.result->error};
  } else if (task.out) {
    report = MovedAside{attempt, times, task.result ? task.result->bytes() : 0, copied};
  }
  const bool said = !task.ended;
  drop(task);
  if (said) ports_.report(std::move(report));
}

void MoveQueue::drop(Task& task) {
  tasks_.remove_if([number = task.number](const Task& each) { return each.number == number; });
  boost::asio::post(loop_, [self = weak_from_this()] {
    if (const auto queue = self.lock()) queue->look();
  });
}

void MoveQueue::attempt_ended(AttemptId attempt) {
  for (auto task = tasks_.begin(); task != tasks_.end();) {
    Task& each = *task++;
    if (each.order.attempt != attempt) continue;
    each.ended = true;
    if (each.step != Step::kAsked && each.step != Step::kMoving) drop(each);
  }
}

void MoveQueue::launcher_lost() {
  for (auto task = tasks_.begin(); task != tasks_.end();) {
    Task& each = *task++;
    if (each.step != Step::kAsked || each.result) continue;
    // It may have been started all the same; a second one waits for it.
    each.touched = true;
    if (each.ended) {
      drop(each);
    } else {
      start_mover(each);
    }
  }
}

void MoveQueue::after(Task& task, std::chrono::milliseconds pause, void (MoveQueue::*next)(Task&)) {
  task.again = std::make_unique<boost::asio::steady_timer>(loop_);
  task.again->expires_after(pause);
  task.again->async_wait([self = weak_from_this(), number = task.number,
                          next](const boost::system::error_code& error) {
    const auto queue = self.lock();
    Task* still =
        queue && error != boost::asio::error::operation_aborted ? queue->find(number) : nullptr;
    if (still != nullptr) (queue.get()->*next)(*still);
  });
}

}  // namespace gpusched
