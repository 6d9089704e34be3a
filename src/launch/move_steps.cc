// The steps of a move: what is said to the shim, and to the mover through the launcher.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <utility>

#include "jobdir/control_client.h"
#include "jobdir/job_directory.h"
#include "jobdir/packet.h"
#include "launch/move_queue.h"
#include "os/clock.h"

namespace gpusched {
namespace {

constexpr std::chrono::milliseconds kFirstTry{5};
constexpr std::chrono::milliseconds kLongestTry{1000};
// How long the end of an attempt may take to be heard of after its shim has refused.
constexpr std::chrono::milliseconds kEndIsNear{1000};
constexpr int kDeathsMost = 5;
constexpr std::uint64_t kSlowestBytesPerSecond = std::uint64_t{1} << 30;
constexpr std::chrono::seconds kAlwaysAllowed{30};

using MoveWait = boost::asio::posix::descriptor_base;

}  // namespace

void MoveQueue::ask_shim(Task& task, Step step) {
  task.step = step;
  task.pause = kFirstTry;
  try_shim(task);
}

// Until it answers: one that cannot be reached has not begun to listen, or its end is near.
void MoveQueue::try_shim(Task& task) {
  const std::string directory = attempt_directory(state_directory_, task.order.attempt);
  auto socket = connect_control(directory, false);
  const ControlMessage message = task.step == Step::kFreezing ? ControlMessage(PauseCommand{})
                                                              : ControlMessage(ResumeCommand{});
  if (!socket || send_packet(socket->get(), encode(message), {}, MSG_DONTWAIT) != 0) {
    task.pause = std::min(task.pause * 2, kLongestTry);
    after(task, task.pause, &MoveQueue::try_shim);
    return;
  }
  task.shim = std::make_unique<Descriptor>(loop_, socket->release());
  task.shim->async_wait(MoveWait::wait_read, [self = weak_from_this(), number = task.number](
                                                 const boost::system::error_code& error) {
    const auto queue = self.lock();
    if (queue && error != boost::asio::error::operation_aborted) queue->on_shim(number);
  });
}

void MoveQueue::on_shim(std::uint64_t number) {
  Task* task = find(number);
  if (task == nullptr || !task->shim) return;
  std::string buffer(kLargestControlPacket, '\0');
  std::vector<Fd> passed;
  const ssize_t got = receive_packet(task->shim->native_handle(), buffer.data(), buffer.size(),
                                     passed, MSG_DONTWAIT);
  task->shim.reset();
  auto answer =
      decode_control({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
  if (got <= 0 || !answer) {
    after(*task, task->pause, &MoveQueue::try_shim);
    return;
  }
  on_answer(*task, *answer);
}

void MoveQueue::on_answer(Task& task, const ControlMessage& answer) {
  if (const auto* refused = std::get_if<Refused>(&answer)) {
    // What has left the cards is aside, frozen or not.
    if (!task.result || !task.result->done) {
      MoveRecord& record = task.result.emplace();
      record.done = true;
      record.left = task.out ? MoveLeft::kRunning : MoveLeft::kAside;
      record.error = "its supervisor says: " + refused->message;
    }
    task.step = Step::kRefused;
    after(task, kEndIsNear, &MoveQueue::conclude);
  } else if (task.step == Step::kWaking && task.order.checkpoint) {
    start_mover(task);
  } else {
    conclude(task);
  }
}

// There is no shim, and so nobody has made a directory for the record.
void MoveQueue::begin_unsupervised(Task& task) {
  const std::string path = jobs_directory(state_directory_);
  const Fd jobs(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto made = jobs ? make_attempt(jobs.get(), task.order.attempt)
                         : Result<Fd>(failure(ErrorCode::kIo, "there is no " + path));
  if (!made) return fail_unharmed(task, made.error().message);
  start_mover(task);
}

void MoveQueue::start_mover(Task& task) {
  const AttemptId attempt = task.order.attempt;
  if (task.token.empty()) {
    task.token = std::to_string(read_clock().boot.time_since_epoch().count()) + "." +
                 std::to_string(task.number);
  }
  // A mover of an earlier order that still waits for its turn must not take it.
  const auto directory = open_attempt(state_directory_, attempt);
  if (!directory || !directory->valid() ||
      !replace_file(directory->get(), kMoveOrder, task.token, 0600)) {
    cannot_start(task, "the job directory cannot be written");
    return;
  }
  MoveRequest request{attempt, task.token, {}, mover_.variables};
  request.words = {mover_.program,
                   task.out ? "out" : "back",
                   attempt_directory(state_directory_, attempt),
                   "--attempt",
                   to_string(attempt),
                   "--token",
                   task.token,
                   "--lock-timeout",
                   std::to_string(task.order.lock_timeout.count()),
                   "--reserve",
                   std::to_string(mover_.ram_reserve_bytes + ram_promised_beside(task)),
                   "--awake",
                   task.order.awake || task.order.holder ? "yes" : "no",
                   "--owner",
                   std::to_string(task.order.owner),
                   "--report",
                   std::to_string(kReportSocket)};
  if (const auto& holder = task.order.holder) {
    request.words.insert(request.words.end(), {"--tree", std::to_string(holder->pid), "--started",
                                               std::to_string(holder->started)});
    // Nor is anything of ours the holder's, should one of us be its descendant.
    std::vector<int> apart = task.order.apart;
    apart.push_back(::getpid());
    apart.push_back(ports_.launcher());
    for (const int pid : apart) {
      if (pid > 1) request.words.insert(request.words.end(), {"--apart", std::to_string(pid)});
    }
  }
  for (const MoveOrder::CardRoom& card : task.order.room) {
    request.words.insert(request.words.end(),
                         {"--room", card.uuid + "=" + std::to_string(card.bytes)});
  }
  task.step = Step::kAsked;
  complain_when_late(task);
  ports_.send(encode(request));
}

// Nobody has touched it: then it is where it was. Else only a mover can tell where it is, and the
// next one is started when the disk has room, or there is a process to be had again.
void MoveQueue::cannot_start(Task& task, const std::string& error) {
  if (task.ended) return drop(task);
  const auto last = read_record(task.order.attempt);
  const bool begun = last && (!last->done || (task.out && last->stopped));
  if (!task.touched && task.movers == 0 && !begun) return fail_unharmed(task, error);
  if (!std::exchange(task.complained, true)) {
    ports_.complain("moving attempt " + to_string(task.order.attempt) +
                    " has begun and cannot go on yet: " + error);
  }
  task.step = Step::kAsked;
  after(task, kLongestTry, &MoveQueue::start_mover);
}

bool MoveQueue::take(const LaunchMessage& message, std::vector<Fd>& passed) {
  if (const auto* started = std::get_if<MoverStarted>(&message)) {
    Task* task = find(started->attempt, started->token);
    if (task == nullptr || task->step != Step::kAsked) return true;
    task->step = Step::kMoving;
    ++task->movers;
    task->mover_pid = started->pid;
    if (passed.empty()) {
      find_mover(*task);
    } else {
      watch_mover(*task, std::move(passed[0]));
    }
    return true;
  }
  if (const auto* failed = std::get_if<MoverNotStarted>(&message)) {
    Task* task = find(failed->attempt, failed->token);
    if (task == nullptr || task->result) return true;
    // Where there was a process, it did not become a mover, and has touched nothing.
    if (task->step == Step::kMoving) --task->movers;
    task->mover.reset();
    if (task->step == Step::kMoving || task->step == Step::kAsked) {
      cannot_start(*task, failed->error);
    }
    return true;
  }
  if (const auto* ended = std::get_if<MoverEnded>(&message)) {
    Task* task = find(ended->attempt, ended->token);
    if (task != nullptr && !task->result) take_result(*task);
    return true;
  }
  return false;
}

// Without a descriptor for it, it may live all the same.
void MoveQueue::find_mover(Task& task) {
  if (task.step != Step::kMoving || task.result) return;
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, task.mover_pid, 0)));
  if (!pidfd && errno != ESRCH) return after(task, kLongestTry, &MoveQueue::find_mover);
  watch_mover(task, std::move(pidfd));
}

void MoveQueue::watch_mover(Task& task, Fd pidfd) {
  if (!pidfd) {  // Gone already.
    boost::asio::post(loop_, [self = weak_from_this(), number = task.number] {
      if (const auto queue = self.lock()) queue->on_mover_gone(number);
    });
    return;
  }
  task.mover = std::make_unique<Descriptor>(loop_, pidfd.release());
  task.mover->async_wait(MoveWait::wait_read, [self = weak_from_this(), number = task.number](
                                                  const boost::system::error_code& error) {
    const auto queue = self.lock();
    if (!queue || error == boost::asio::error::operation_aborted) return;
    // After what it said before it ended, which is there to be read by now.
    boost::asio::post(queue->loop_, [self, number] {
      if (const auto still = self.lock()) still->on_mover_gone(number);
    });
  });
}

void MoveQueue::on_mover_gone(std::uint64_t number) {
  Task* task = find(number);
  if (task == nullptr || task->step != Step::kMoving || task->result) return;
  // An event of a descriptor closed a moment ago may reach us; only the pidfd itself knows.
  if (task->mover) {
    pollfd look{task->mover->native_handle(), POLLIN, 0};
    if (::poll(&look, 1, 0) == 0) {
      watch_mover(*task, Fd(task->mover->release()));
      return;
    }
  }
  task->mover.reset();
  if (task->ended) {
    drop(*task);
    return;
  }
  if (take_result(*task)) return;
  // Killed. The next one goes on from the state in which the driver says everything is.
  if (++task->deaths < kDeathsMost) {
    start_mover(*task);
    return;
  }
  const auto record = read_record(task->order.attempt);
  const bool touched = record && record->token == task->token;
  fail_unharmed(*task, "gpusched-mover was ended " + std::to_string(kDeathsMost) + " times");
  if (Task* still = find(number); still != nullptr && touched) {
    still->result->left = MoveLeft::kLost;
  }
}

// Nullopt: there is none that can be read.
std::optional<MoveRecord> MoveQueue::read_record(AttemptId attempt) const {
  const auto directory = open_attempt(state_directory_, attempt);
  if (!directory || !directory->valid()) return std::nullopt;
  const auto text = read_file(directory->get(), kMoveFile);
  if (!text || !text->has_value()) return std::nullopt;
  auto record = parse_move(**text);
  if (!record) return std::nullopt;
  return std::move(*record);
}

bool MoveQueue::take_result(Task& task) {
  auto record = read_record(task.order.attempt);
  if (!record || !record->done || record->token != task.token) return false;
  task.result = std::move(*record);
  on_result(task);
  return true;
}

void MoveQueue::fail_unharmed(Task& task, std::string error) {
  MoveRecord& record = task.result.emplace();
  record.done = true;
  record.left = task.out ? MoveLeft::kRunning : MoveLeft::kAside;
  record.error = std::move(error);
  boost::asio::post(loop_, [self = weak_from_this(), number = task.number] {
    const auto queue = self.lock();
    Task* still = queue ? queue->find(number) : nullptr;
    if (still != nullptr) queue->on_result(*still);
  });
}

// Nothing more than a word: a Checkpoint or Restore must not be interrupted.
void MoveQueue::complain_when_late(Task& task) {
  if (task.late) return;
  std::uint64_t bytes = 0;
  for (const MoveOrder::CardRoom& card : task.order.room) bytes += card.bytes;
  const std::chrono::seconds copying{static_cast<std::int64_t>(bytes / kSlowestBytesPerSecond)};
  task.late = std::make_unique<boost::asio::steady_timer>(loop_);
  task.late->expires_after(kAlwaysAllowed + task.order.lock_timeout + copying);
  task.late->async_wait(
      [self = weak_from_this(), number = task.number](const boost::system::error_code& error) {
        const auto queue = self.lock();
        Task* still =
            queue && error != boost::asio::error::operation_aborted ? queue->find(number) : nullptr;
        if (still == nullptr) return;
        queue->ports_.complain("moving attempt " + to_string(still->order.attempt) +
                               (still->out ? " out of its cards" : " back to its cards") +
                               " takes longer than it should; it is left to end");
      });
}

}  // namespace gpusched
