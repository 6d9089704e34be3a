#include "launch/move_steps.h"

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
#include "launch/launcher_link.h"
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

MoveSteps::MoveSteps(const MoveGround& ground, std::uint64_t number, MoveOrder order, bool out)
    : ground_(ground),
      number_(number),
      order_(std::move(order)),
      out_(out),
      began_(read_clock().boot) {}

const std::string& MoveSteps::state_directory() const {
  return ground_.shims.options().state_directory;
}

void MoveSteps::complain(const std::string& what) const {
  const auto& tell = ground_.shims.options().complain;
  if (tell) tell("moving attempt " + to_string(order_.attempt) + what);
}

bool MoveSteps::is_answer_to(const MoveOrder& order, bool out) const {
  return order_.attempt == order.attempt && !ended_ && out_ == out &&
         order_.checkpoint == order.checkpoint;
}

void MoveSteps::begin() {
  if (order_.holder) return begin_unsupervised();
  if (!order_.checkpoint) return ask_shim(out_ ? Step::kFreezing : Step::kWaking);
  // What a mover has stopped only a mover may wake: its threads have to be held first.
  // A job that returns without a record is woken by nobody else.
  const auto last = read_record();
  if (last ? last->stopped : !out_) {
    start_mover();
  } else {
    ask_shim(Step::kWaking);
  }
}

void MoveSteps::ask_shim(Step step) {
  step_ = step;
  pause_ = kFirstTry;
  try_shim();
}

// Until it answers: one that cannot be reached has not begun to listen, or its end is near.
void MoveSteps::try_shim() {
  auto socket = connect_control(attempt_directory(state_directory(), order_.attempt), false);
  const ControlMessage message =
      step_ == Step::kFreezing ? ControlMessage(PauseCommand{}) : ControlMessage(ResumeCommand{});
  if (!socket || send_packet(socket->get(), encode(message), {}, MSG_DONTWAIT) != 0) {
    pause_ = std::min(pause_ * 2, kLongestTry);
    return after(pause_, &MoveSteps::try_shim);
  }
  shim_ = std::make_unique<Descriptor>(ground_.loop, socket->release());
  shim_->async_wait(MoveWait::wait_read,
                    [self = weak_from_this()](const boost::system::error_code& error) {
                      const auto move = self.lock();
                      if (move && error != boost::asio::error::operation_aborted) move->on_shim();
                    });
}

void MoveSteps::on_shim() {
  if (!shim_) return;
  std::string buffer(kLargestControlPacket, '\0');
  std::vector<Fd> passed;
  const ssize_t got =
      receive_packet(shim_->native_handle(), buffer.data(), buffer.size(), passed, MSG_DONTWAIT);
  shim_.reset();
  auto answer =
      decode_control({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
  if (got <= 0 || !answer) return after(pause_, &MoveSteps::try_shim);
  on_answer(*answer);
}

void MoveSteps::on_answer(const ControlMessage& answer) {
  if (const auto* refused = std::get_if<Refused>(&answer)) {
    // What has left the cards is aside, frozen or not.
    if (!result_ || !result_->done) set_unharmed("its supervisor says: " + refused->message);
    step_ = Step::kRefused;
    after(kEndIsNear, &MoveSteps::conclude);
  } else if (step_ == Step::kWaking && order_.checkpoint) {
    start_mover();
  } else {
    conclude();
  }
}

// There is no shim, and so nobody has made a directory for the record.
void MoveSteps::begin_unsupervised() {
  const std::string path = jobs_directory(state_directory());
  const Fd jobs(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto made = jobs ? make_attempt(jobs.get(), order_.attempt)
                         : Result<Fd>(failure(ErrorCode::kIo, "there is no " + path));
  if (!made) return fail_unharmed(made.error().message);
  start_mover();
}

void MoveSteps::start_mover() {
  if (token_.empty()) {
    token_ = std::to_string(read_clock().boot.time_since_epoch().count()) + "." +
             std::to_string(number_);
  }
  // A mover of an earlier order that still waits for its turn must not take it.
  const auto directory = open_attempt(state_directory(), order_.attempt);
  if (!directory || !directory->valid() ||
      !replace_file(directory->get(), kMoveOrder, token_, 0600)) {
    // A mover that an earlier daemon started may be bringing it back at this moment: it must not be
    // taken for one that is aside, and frozen.
    if (!out_) touched_ = true;
    return cannot_start("the job directory cannot be written");
  }
  step_ = Step::kAsked;
  complain_when_late();
  ground_.shims.link().send(
      encode(MoveRequest{order_.attempt, token_, mover_words(), ground_.options.variables}));
}

std::vector<std::string> MoveSteps::mover_words() const {
  const std::uint64_t reserve =
      ground_.options.ram_reserve_bytes + ground_.ram_promised_beside(*this);
  std::vector<std::string> words{ground_.options.program,
                                 out_ ? "out" : "back",
                                 attempt_directory(state_directory(), order_.attempt),
                                 "--attempt",
                                 to_string(order_.attempt),
                                 "--token",
                                 token_,
                                 "--lock-timeout",
                                 std::to_string(order_.lock_timeout.count()),
                                 "--reserve",
                                 std::to_string(reserve),
                                 "--awake",
                                 order_.awake || order_.holder ? "yes" : "no",
                                 "--owner",
                                 std::to_string(order_.owner),
                                 "--report",
                                 std::to_string(kReportSocket)};
  if (const auto& holder = order_.holder) {
    words.insert(words.end(), {"--tree", std::to_string(holder->pid), "--started",
                               std::to_string(holder->started)});
    // Nor is anything of ours the holder's, should one of us be its descendant.
    std::vector<int> apart = order_.apart;
    apart.push_back(::getpid());
    apart.push_back(ground_.shims.link().pid());
    for (const int pid : apart) {
      if (pid > 1) words.insert(words.end(), {"--apart", std::to_string(pid)});
    }
  }
  for (const MoveOrder::CardRoom& card : order_.room) {
    words.insert(words.end(), {"--room", card.uuid + "=" + std::to_string(card.bytes)});
  }
  return words;
}

// Nobody has touched it: then it is where it was. Else only a mover can tell where it is, and the
// next one is started when the disk has room, or there is a process to be had again.
void MoveSteps::cannot_start(const std::string& error) {
  if (ended_) return ground_.drop(*this);
  const auto last = read_record();
  const bool begun = last && (!last->done || (out_ && last->stopped));
  if (!touched_ && movers_ == 0 && !begun) return fail_unharmed(error);
  if (!std::exchange(complained_, true)) complain(" has begun and cannot go on yet: " + error);
  step_ = Step::kAsked;
  after(kLongestTry, &MoveSteps::start_mover);
}

void MoveSteps::take(const LaunchMessage& message, std::vector<Fd>& passed) {
  const auto about_this = [this](const auto* said) {
    return said != nullptr && said->attempt == order_.attempt && !token_.empty() &&
           said->token == token_;
  };
  const auto* started = std::get_if<MoverStarted>(&message);
  const auto* not_started = std::get_if<MoverNotStarted>(&message);
  if (about_this(started) && step_ == Step::kAsked) {
    on_started(*started, passed);
  } else if (about_this(not_started) && !result_) {
    on_not_started(not_started->error);
  } else if (about_this(std::get_if<MoverEnded>(&message)) && !result_) {
    take_result();
  }
}

void MoveSteps::on_started(const MoverStarted& started, std::vector<Fd>& passed) {
  step_ = Step::kMoving;
  ++movers_;
  mover_pid_ = started.pid;
  if (passed.empty()) {
    find_mover();
  } else {
    watch_mover(std::move(passed[0]));
  }
}

// Where there was a process, it did not become a mover, and has touched nothing.
void MoveSteps::on_not_started(const std::string& error) {
  if (step_ == Step::kMoving) --movers_;
  mover_.reset();
  if (has_mover()) cannot_start(error);
}

// Without a descriptor for it, it may live all the same.
void MoveSteps::find_mover() {
  if (step_ != Step::kMoving || result_) return;
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, mover_pid_, 0)));
  if (!pidfd && errno != ESRCH) return after(kLongestTry, &MoveSteps::find_mover);
  watch_mover(std::move(pidfd));
}

void MoveSteps::watch_mover(Fd pidfd) {
  if (!pidfd) return soon(&MoveSteps::on_mover_gone);  // Gone already.
  mover_ = std::make_unique<Descriptor>(ground_.loop, pidfd.release());
  mover_->async_wait(MoveWait::wait_read,
                     [self = weak_from_this()](const boost::system::error_code& error) {
                       const auto move = self.lock();
                       if (!move || error == boost::asio::error::operation_aborted) return;
                       // After what it said before it ended, which is there to be read by now.
                       move->soon(&MoveSteps::on_mover_gone);
                     });
}

void MoveSteps::on_mover_gone() {
  if (step_ != Step::kMoving || result_) return;
  // An event of a descriptor closed a moment ago may reach us; only the pidfd itself knows.
  if (mover_) {
    pollfd look{mover_->native_handle(), POLLIN, 0};
    if (::poll(&look, 1, 0) == 0) return watch_mover(Fd(mover_->release()));
  }
  mover_.reset();
  if (ended_) return ground_.drop(*this);
  if (take_result()) return;
  // Killed. The next one goes on from the state in which the driver says everything is.
  if (++deaths_ < kDeathsMost) return start_mover();
  const auto record = read_record();
  const bool touched = record && record->token == token_;
  fail_unharmed("gpusched-mover was ended " + std::to_string(kDeathsMost) + " times");
  if (touched) result_->left = MoveLeft::kLost;
}

std::optional<MoveRecord> MoveSteps::read_record() const {
  const auto directory = open_attempt(state_directory(), order_.attempt);
  if (!directory || !directory->valid()) return std::nullopt;
  return read_move(directory->get());
}

bool MoveSteps::take_result() {
  auto record = read_record();
  if (!record || !record->done || record->token != token_) return false;
  result_ = std::move(*record);
  on_result();
  return true;
}

void MoveSteps::set_unharmed(std::string error) {
  MoveRecord& record = result_.emplace();
  record.done = true;
  record.left = out_ ? MoveLeft::kRunning : MoveLeft::kAside;
  record.error = std::move(error);
}

void MoveSteps::fail_unharmed(std::string error) {
  set_unharmed(std::move(error));
  soon(&MoveSteps::on_result);
}

void MoveSteps::on_result() {
  mover_.reset();
  late_.reset();
  if (ended_) return ground_.drop(*this);
  if (order_.holder) return conclude();
  const bool aside = result_->moved ? out_ : result_->left == MoveLeft::kAside;
  const bool runs = !aside || (order_.awake && !result_->stopped);
  ask_shim(runs ? Step::kRunning : Step::kFreezing);
}

void MoveSteps::conclude() {
  const auto kept = shared_from_this();  // Dropped, and still needed for a moment.
  ground_.drop(*this);
  if (ended_) return;
  MoveTimes times = result_ ? result_->times : MoveTimes{};
  times.whole = read_clock().boot - began_;
  const std::uint64_t copied = result_ ? result_->copied : 0;
  if (result_ && !result_->moved) {
    ground_.sink(MoveFailed{order_.attempt, result_->left, result_->never, result_->error});
  } else if (out_) {
    ground_.sink(MovedAside{order_.attempt, times, result_ ? result_->bytes() : 0, copied});
  } else {
    ground_.sink(BroughtBack{order_.attempt, times, copied});
  }
}

void MoveSteps::attempt_ended(AttemptId attempt) {
  if (attempt != order_.attempt) return;
  ended_ = true;
  if (!has_mover()) ground_.drop(*this);
}

void MoveSteps::launcher_lost() {
  if (step_ != Step::kAsked || result_) return;
  // It may have been started all the same; a second one waits for it.
  touched_ = true;
  if (ended_) return ground_.drop(*this);
  start_mover();
}

// Nothing more than a word: a Checkpoint or Restore must not be interrupted.
void MoveSteps::complain_when_late() {
  if (late_) return;
  std::uint64_t bytes = 0;
  for (const MoveOrder::CardRoom& card : order_.room) bytes += card.bytes;
  const std::chrono::seconds copying{static_cast<std::int64_t>(bytes / kSlowestBytesPerSecond)};
  late_ = std::make_unique<boost::asio::steady_timer>(ground_.loop);
  late_->expires_after(kAlwaysAllowed + order_.lock_timeout + copying);
  late_->async_wait([self = weak_from_this()](const boost::system::error_code& error) {
    const auto move = self.lock();
    if (!move || error == boost::asio::error::operation_aborted) return;
    move->complain(std::string(move->out_ ? " out of its cards" : " back to its cards") +
                   " takes longer than it should; it is left to end");
  });
}

void MoveSteps::after(std::chrono::milliseconds pause, void (MoveSteps::*next)()) {
  again_ = std::make_unique<boost::asio::steady_timer>(ground_.loop);
  again_->expires_after(pause);
  again_->async_wait([self = weak_from_this(), next](const boost::system::error_code& error) {
    const auto move = self.lock();
    if (move && error != boost::asio::error::operation_aborted) ((*move).*next)();
  });
}

void MoveSteps::soon(void (MoveSteps::*next)()) {
  boost::asio::post(ground_.loop, [self = weak_from_this(), next] {
    if (const auto move = self.lock()) ((*move).*next)();
  });
}

}  // namespace gpusched
