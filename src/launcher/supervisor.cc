#include "launcher/supervisor.h"

#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "launcher/attempt_entries.h"
#include "os/clock.h"

namespace gpusched {
namespace {

// How long a `run` job waits for the client that asked for it.
constexpr Seconds kClientWait{30};

}  // namespace

Supervisor::Supervisor(const ShimSettings& settings, ShimParts& parts)
    : settings_(settings), parts_(parts) {
  ended_.attempt = parts.order.attempt;
}

void Supervisor::refuse(const LaunchProblem& problem) {
  problem_ = problem;
  children_left_ = false;
  phase_ = Phase::kRecording;
  if (parts_.attachment) client_by_ = read_clock().boot + kClientWait;
  record_exit();
  while (phase_ != Phase::kDone) turn();
}

void Supervisor::follow(StartedCommand command) {
  pid_ = command.pid;
  command_report_ = std::move(command.report);
  if (parts_.attachment) {
    parts_.attachment->close_command_ends();
    client_by_ = read_clock().boot + kClientWait;
  }
  if (parts_.order.command.log_limit_bytes > 0 && parts_.log) {
    trim_.emplace(parts_.directory.get(), parts_.order.command.log_limit_bytes, read_clock().boot);
  }
  look_for_directory(read_clock().boot);
  while (phase_ != Phase::kDone) turn();
}

void Supervisor::turn() {
  std::vector<pollfd> polls;
  polls.reserve(8);
  add_polls(polls);
  set_timer();
  if (timer_) polls.push_back({timer_.get(), POLLIN, 0});
  if (::poll(polls.data(), polls.size(), -1) < 0) return;
  for (const pollfd& ready : polls) {
    if (ready.revents != 0 && phase_ != Phase::kDone) dispatch(ready);
  }
  if (parts_.attachment) {
    // Kept in mind before the client is let go: the next attempt must not wait for one.
    if (parts_.attachment->take_detach_asked()) {
      const auto kept = keep_detached(settings_.jobs_fd, ended_.attempt.job);
      kept ? parts_.attachment->detach() : parts_.attachment->refuse(kept.error().message);
    }
    if (parts_.attachment->take_vanished()) hang_up("the client of this job went away");
    if (parts_.attachment->was_attached()) client_by_.reset();
    if (phase_ == Phase::kLingering && parts_.attachment->was_attached() &&
        parts_.attachment->flushed()) {
      phase_ = Phase::kDone;
    }
  }
}

void Supervisor::add_polls(std::vector<pollfd>& polls) {
  polls.push_back({settings_.children_fd, POLLIN, 0});
  if (command_report_) polls.push_back({command_report_.get(), POLLIN, 0});
  if (adopted_ && phase_ == Phase::kRunning) polls.push_back({adopted_->fd(), POLLIN, 0});
  if (parts_.control) polls.push_back({parts_.control.get(), POLLIN, 0});
  for (const Client& client : clients_) polls.push_back({client.socket.get(), POLLIN, 0});
  if (trim_ && trim_->fd() >= 0) polls.push_back({trim_->fd(), POLLIN, 0});
  if (!reports_.empty()) polls.push_back({settings_.report_fd, POLLOUT, 0});
  if (parts_.attachment) parts_.attachment->add_polls(polls);
}

void Supervisor::dispatch(const pollfd& ready) {
  if (ready.fd == settings_.children_fd) {
    signalfd_siginfo ignored;
    while (::read(settings_.children_fd, &ignored, sizeof ignored) > 0) {
    }
    return reap();
  }
  if (ready.fd == command_report_.get()) return on_command_report();
  if (adopted_ && ready.fd == adopted_->fd()) return on_adopted_gone();
  if (ready.fd == parts_.control.get()) return accept_clients();
  if (timer_ && ready.fd == timer_.get()) return on_time();
  if (trim_ && ready.fd == trim_->fd()) return trim_->on_readable(read_clock().boot);
  if (ready.fd == settings_.report_fd) return flush_reports();
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (clients_[i].socket.get() == ready.fd) return on_client(i);
  }
  if (parts_.attachment) parts_.attachment->on_poll(ready);
}

std::optional<Boot> Supervisor::next_deadline() const {
  std::optional<Boot> soonest = retry_at_;
  const auto consider = [&](std::optional<Boot> instant) {
    if (instant && (!soonest || *instant < *soonest)) soonest = instant;
  };
  if (phase_ == Phase::kStarting || phase_ == Phase::kRunning) {
    consider(timeline_.next());
    if (trim_) consider(trim_->next());
    consider(tell_at_);
    consider(directory_at_);
  }
  consider(client_by_);
  return soonest;
}

// Boot time, not poll's own timeout: that one stands still while the machine is suspended.
void Supervisor::set_timer() {
  const auto next = next_deadline();
  if (next == timer_set_) return;
  if (!timer_) timer_.reset(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  itimerspec setting{};
  if (next) {
    // Zero would switch the timer off.
    const auto at = std::max<Microseconds>(next->time_since_epoch(), Microseconds{1});
    setting.it_value.tv_sec = at.count() / 1'000'000;
    setting.it_value.tv_nsec = at.count() % 1'000'000 * 1000;
  }
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
  timer_set_ = next;
}

void Supervisor::on_time() {
  std::uint64_t ignored = 0;
  if (::read(timer_.get(), &ignored, sizeof ignored) < 0 && errno == EAGAIN) return;
  timer_set_.reset();
  const Boot now = read_clock().boot;
  if (phase_ == Phase::kStarting || phase_ == Phase::kRunning) {
    apply_timeline();
    if (trim_) trim_->on_time(now);
    if (tell_at_ && *tell_at_ <= now) tell_to_save();
    if (directory_at_ && *directory_at_ <= now) look_for_directory(now);
  }
  if (client_by_ && *client_by_ <= now) {
    client_by_.reset();
    if (phase_ == Phase::kLingering) {
      phase_ = Phase::kDone;
      return;
    }
    hang_up("the client of this job never came");
  }
  if (!retry_at_ || *retry_at_ > now) return;
  retry_at_.reset();
  if (status_missing_) write_status_file();
  if (phase_ == Phase::kEndingTree) reap();
  if (phase_ == Phase::kRecording) record_exit();
}

}  // namespace gpusched
