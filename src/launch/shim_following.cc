// What became of an attempt: messages from launcher and shims, and what the job directory says.
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <utility>

#include "jobdir/cgroup.h"
#include "jobdir/control_client.h"
#include "jobdir/packet.h"
#include "launch/shim_launcher.h"
#include "os/clock.h"

namespace gpusched {
namespace {

using Wait = boost::asio::posix::descriptor_base;
constexpr std::chrono::milliseconds kFirstPause{5};
constexpr std::chrono::milliseconds kLongestPause{1000};

AttemptRunning started_by(AttemptId attempt, const StatusRecord& status) {
  return {attempt, status.started_at, status.without_mps()};
}

}  // namespace

void ShimLauncher::on_message(LaunchMessage& message, std::vector<Fd>& passed) {
  if (const auto* launched = std::get_if<ShimLaunched>(&message)) {
    if (!is_of_dropped(launched->attempt)) on_launched(*launched, passed);
  } else if (const auto* started = std::get_if<CommandStarted>(&message)) {
    on_started({started->attempt, started->started_at, started->without_mps});
  } else if (const auto* ended = std::get_if<CommandEnded>(&message)) {
    // The file with the same content is in place: what cannot be read here is read there.
    if (auto record = parse_exit(ended->record, ended->attempt)) on_ended(std::move(*record));
  } else if (const auto* gave_up = std::get_if<ShimGaveUp>(&message)) {
    const auto found = attempts_.find(gave_up->attempt);
    if (found == attempts_.end()) return;
    found->second.error = gave_up->error;
    found->second.no_room = gave_up->no_room;
  } else if (const auto* failed = std::get_if<ShimNotLaunched>(&message)) {
    const auto found = attempts_.find(failed->attempt);
    if (is_of_dropped(failed->attempt) || found == attempts_.end()) return;
    if (found->second.go) {
      attempts_.erase(found);
      return;
    }
    found->second.error = failed->error;
    found->second.stage = Stage::kUnknown;
    find_out(failed->attempt, ShimLife::kUnknown);
  } else if (const auto* tree = std::get_if<TreeEnded>(&message)) {
    on_tree_ended(tree->attempt);
  } else if (const auto* forgotten = std::get_if<Forgotten>(&message)) {
    if (!forgotten->problem.empty()) complain(forgotten->problem);
    forgetting_.clear();
    forget_more();
  }
}

void ShimLauncher::on_launched(const ShimLaunched& launched, std::vector<Fd>& passed) {
  const auto found = attempts_.find(launched.attempt);
  if (found == attempts_.end()) return;  // Over already.
  Followed& followed = found->second;
  if (passed.empty()) {
    passed.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, launched.pid, 0)));
  }
  if (!passed[0] && followed.go) {
    attempts_.erase(found);
    return;
  }
  if (!passed[0]) {
    followed.stage = Stage::kUnknown;
    find_out_later(launched.attempt);
    return;
  }
  followed.shim_pid = launched.pid;
  follow(launched.attempt, followed, std::move(passed[0]));
  if (followed.stop || followed.save || followed.time || followed.let_go) tend(launched.attempt);
}

void ShimLauncher::follow(AttemptId attempt, Followed& followed, Fd pidfd) {
  followed.stage = Stage::kFollowed;
  followed.shim = std::make_unique<boost::asio::posix::stream_descriptor>(loop_, pidfd.release());
  await_death(attempt, followed);
  // A move that was ordered while its shim was being replaced has waited for this one.
  if (followed.started && watcher_.runs) watcher_.runs();
}

void ShimLauncher::await_death(AttemptId attempt, Followed& followed) {
  followed.shim->async_wait(
      Wait::wait_read, [self = weak_from_this(), attempt](const boost::system::error_code& error) {
        if (error == boost::asio::error::operation_aborted) return;
        const auto impl = self.lock();
        if (!impl) return;
        // The reactor may hand us an event that was meant for a descriptor closed a moment ago,
        // whose place ours has taken: only the pidfd itself knows whether the shim is dead.
        const auto entry = impl->attempts_.find(attempt);
        if (entry == impl->attempts_.end() || !entry->second.shim) return;
        pollfd look{entry->second.shim->native_handle(), POLLIN, 0};
        if (::poll(&look, 1, 0) == 0) {
          impl->await_death(attempt, entry->second);
        } else if (entry->second.go) {
          impl->attempts_.erase(entry);  // Only prepared: launching it will tell what is wrong.
        } else {
          impl->find_out(attempt, ShimLife::kDead);
        }
      });
}

void ShimLauncher::on_started(AttemptRunning report) {
  const auto found = attempts_.find(report.attempt);
  if (found == attempts_.end() || found->second.started) return;
  found->second.started = true;
  sink_(std::move(report));
  if (watcher_.runs) watcher_.runs();
}

void ShimLauncher::on_ended(ExitRecord ended) {
  const auto found = attempts_.find(ended.attempt);
  if (found == attempts_.end()) return;
  const bool started = found->second.started;
  attempts_.erase(found);
  if (watcher_.ended) watcher_.ended(ended.attempt);
  if (!started && ended.started_at) sink_(AttemptRunning{ended.attempt, *ended.started_at});
  sink_(std::move(ended));
}

void ShimLauncher::not_started(AttemptId attempt) {
  const auto found = attempts_.find(attempt);
  AttemptNeverRan report{attempt, std::move(found->second.error), found->second.no_room};
  attempts_.erase(found);
  if (watcher_.ended) watcher_.ended(attempt);
  sink_(std::move(report));
}

void ShimLauncher::on_tree_ended(AttemptId attempt) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end() || found->second.stage != Stage::kEndingTree) return;
  attempts_.erase(found);
  if (watcher_.ended) watcher_.ended(attempt);
  sink_(SupervisorLost{attempt, read_clock().wall});
}

void ShimLauncher::find_out_later(AttemptId attempt) {
  boost::asio::post(loop_, [self = weak_from_this(), attempt] {
    if (const auto impl = self.lock()) impl->find_out(attempt, ShimLife::kUnknown);
  });
}

void ShimLauncher::find_out(AttemptId attempt, ShimLife shim) {
  const auto entry = attempts_.find(attempt);
  if (entry == attempts_.end() || link_ == nullptr) return;
  Followed& followed = entry->second;
  const bool asked = followed.stage == Stage::kUnknown || shim == ShimLife::kDead;
  if (!asked) return;
  followed.shim.reset();
  followed.stage = Stage::kUnknown;
  // Without a launcher that has the lock, an older one might still start this attempt.
  if (!link_->ready()) return;

  auto findings = look_at_attempt(options_.state_directory, attempt, shim);
  const bool busy = !findings && findings.error().code == ErrorCode::kBusy;
  if (!findings) {
    // A shortage is everybody's, so it is told once and not by each.
    const bool told = std::exchange(shortage_told_, busy) && busy;
    if (!told) complain(findings.error().message);
    tend_later(attempt, followed);
    return;
  }
  shortage_told_ = false;
  if (auto* ended = std::get_if<ExitRecord>(&*findings)) {
    on_ended(std::move(*ended));
  } else if (std::holds_alternative<NeverRan>(*findings)) {
    not_started(attempt);
  } else if (std::holds_alternative<NoClaim>(*findings)) {
    win_claim(attempt, followed);
  } else if (const auto* supervised = std::get_if<Supervised>(&*findings)) {
    if (!is_ours(supervised->state, {})) {
      leave_alone(attempt, followed);
    } else {
      follow_adopted(attempt, followed, *supervised);
    }
  } else if (const auto* lost = std::get_if<Unsupervised>(&*findings)) {
    if (!is_ours(lost->state, lost->cgroup)) {
      leave_alone(attempt, followed);
    } else if (lost->adopted) {
      succeed(attempt, followed, *lost);
    } else {
      end_tree(attempt, followed, *lost);
    }
  }
}

// Claims of older versions say only where the job's group is.
bool ShimLauncher::is_ours(const std::string& state, const std::string& cgroup) const {
  if (options_.state_id.empty()) return true;
  if (!state.empty()) return state == options_.state_id;
  const std::string& base = options_.cgroup.path;
  const bool elsewhere = !cgroup.empty() && !base.empty() && !cgroup.starts_with(base + "/");
  return !options_.copied && !elsewhere;
}

// Another state directory's job: this one is a copy of that. It runs on, and is over here.
void ShimLauncher::leave_alone(AttemptId attempt, Followed& followed) {
  complain("attempt " + to_string(attempt) +
           " belongs to another state directory; nothing of it is ended");
  followed.stage = Stage::kEndingTree;
  on_tree_ended(attempt);
}

void ShimLauncher::win_claim(AttemptId attempt, Followed& followed) {
  const auto claimed = [&]() -> Result<bool> {
    const std::string jobs = jobs_directory(options_.state_directory);
    ::mkdir(jobs.c_str(), 0711);  // Usually there. Whoever removed it must not stop us for ever.
    const Fd directory(::open(jobs.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    auto made = make_attempt(directory.get(), attempt);
    if (!made) return failure(std::move(made.error()));
    auto claim = try_claim(made->get(), {false, ::getpid(), boot_id_, {}});
    if (!claim) return failure(std::move(claim.error()));
    return claim->valid();
  }();
  if (claimed && *claimed) {
    // A launcher that died may have made it; nobody will run in there any more.
    if (!options_.cgroup.path.empty()) {
      remove_leaf(options_.cgroup.path + "/jobs/" + to_string(attempt));
    }
    not_started(attempt);
  } else if (claimed) {
    find_out_later(attempt);
  } else if (!followed.error.empty()) {
    // Its shim has said that it gives up and is gone; nobody else knows of this attempt.
    not_started(attempt);
  } else {
    complain("claim attempt " + to_string(attempt) + ": " + claimed.error().message);
    tend_later(attempt, followed);
  }
}

void ShimLauncher::follow_adopted(AttemptId attempt, Followed& followed, const Supervised& found) {
  Fd pidfd(found.shim_pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, found.shim_pid, 0))
                              : -1);
  if (!pidfd) {
    if (found.shim_pid > 0 && errno == ESRCH) {
      find_out(attempt, ShimLife::kDead);
      return;
    }
    tend_later(attempt, followed);  // Alive, but only its lock can tell when it ends.
    return;
  }
  // The lock was seen held before the pidfd was opened; only if it still is, is the pid the shim's.
  const auto directory = open_attempt(options_.state_directory, attempt);
  const bool gone = directory && !directory->valid();
  const auto held = !directory ? Result<bool>(failure(directory.error()))
                    : gone     ? Result<bool>(false)
                               : claim_is_held(directory->get());
  if (!held) {  // Nothing follows from what could not be read.
    tend_later(attempt, followed);
    return;
  }
  if (!*held) {
    find_out_later(attempt);
    return;
  }
  followed.shim_pid = found.shim_pid;
  followed.adopted_pid = found.adopted_pid;
  follow(attempt, followed, std::move(pidfd));
  if (found.status) on_started(started_by(attempt, *found.status));
  tend(attempt);
}

void ShimLauncher::end_tree(AttemptId attempt, Followed& followed, const Unsupervised& found) {
  if (!found.problem.empty()) {
    complain("attempt " + to_string(attempt) + " has a damaged job directory: " + found.problem);
  }
  const bool same_boot = found.boot_id.empty() || found.boot_id == boot_id_;
  followed.stage = Stage::kEndingTree;
  if (!same_boot) {  // Nothing of it can be running.
    on_tree_ended(attempt);
    return;
  }
  EndTreeRequest request;
  request.attempt = attempt;
  request.cgroup = found.cgroup;
  if (found.status && found.status->boot_id == boot_id_) {
    request.session = found.status->pid;
    request.session_started = found.status->started_boot;
  }
  link_->send(encode(request));
}

// The process is nobody's child here: another shim watches over it as well as the first.
void ShimLauncher::succeed(AttemptId attempt, Followed& followed, const Unsupervised& found) {
  constexpr int kSuccessorsMost = 5;
  const bool same_boot = found.boot_id.empty() || found.boot_id == boot_id_;
  if (!same_boot || !found.process || followed.successors == kSuccessorsMost) {
    followed.stage = Stage::kEndingTree;
    on_tree_ended(attempt);
    return;
  }
  ++followed.successors;
  if (!followed.stop) followed.stop = followed.stop_said;
  followed.let_go = followed.let_go_said;
  LaunchOrder order;
  order.attempt = attempt;
  order.adopted = found.process;
  followed.adopted_pid = found.process->pid;
  followed.stage = Stage::kQueued;
  if (auto sent = send_order(order, Fd()); !sent) {
    complain(sent.error().message);
    followed.stage = Stage::kUnknown;
    tend_later(attempt, followed);
  }
}

void ShimLauncher::tend(AttemptId attempt) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end()) return;
  Followed& followed = found->second;
  if (followed.stage != Stage::kFollowed) return;  // Once it is followed, this is called again.
  const bool delivered = deliver(attempt, followed);
  if (!delivered || !followed.started) tend_later(attempt, followed);
}

// True: nothing is left to be said.
bool ShimLauncher::deliver(AttemptId attempt, Followed& followed) {
  if (!followed.stop && !followed.save && !followed.time && !followed.let_go) return true;
  const auto socket = connect_control(attempt_directory(options_.state_directory, attempt), false);
  if (!socket) return false;  // Not there yet; or it is over, which the pidfd tells.
  const auto say = [&](const ControlMessage& message) {
    return send_packet(socket->get(), encode(message), {}, MSG_DONTWAIT) == 0;
  };
  if (followed.time && !say(SetTime{*followed.time})) return false;
  followed.time.reset();
  if (followed.save && !say(*followed.save)) return false;
  followed.save.reset();
  if (followed.stop && !say(StopCommand{*followed.stop})) return false;
  if (followed.stop) followed.stop_said = followed.stop;
  followed.stop.reset();
  if (followed.let_go && !say(LetGoCommand{})) return false;
  followed.let_go_said = followed.let_go_said || followed.let_go;
  followed.let_go = false;
  return true;
}

void ShimLauncher::tend_later(AttemptId attempt, Followed& followed) {
  followed.pause =
      followed.pause.count() == 0 ? kFirstPause : std::min(followed.pause * 2, kLongestPause);
  if (!followed.retry) followed.retry = std::make_unique<boost::asio::steady_timer>(loop_);
  followed.retry->expires_after(followed.pause);
  followed.retry->async_wait(
      [self = weak_from_this(), attempt](const boost::system::error_code& error) {
        const auto impl = self.lock();
        if (error == boost::asio::error::operation_aborted || !impl) return;
        const auto entry = impl->attempts_.find(attempt);
        if (entry == impl->attempts_.end()) return;
        if (entry->second.stage == Stage::kUnknown) {
          impl->find_out(attempt, ShimLife::kUnknown);
          return;
        }
        if (!entry->second.started && entry->second.stage == Stage::kFollowed) {
          const auto look =
              look_at_attempt(impl->options_.state_directory, attempt, ShimLife::kUnknown);
          const auto* alive = look ? std::get_if<Supervised>(&*look) : nullptr;
          if (alive != nullptr && alive->status) {
            impl->on_started(started_by(attempt, *alive->status));
          }
        }
        impl->tend(attempt);
      });
}

}  // namespace gpusched
