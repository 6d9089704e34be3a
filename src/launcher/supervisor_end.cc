// The command's beginning and end as its shim sees them.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "jobdir/cgroup.h"
#include "jobdir/launch_protocol.h"
#include "jobdir/packet.h"
#include "jobdir/process_tree.h"
#include "jobdir/progress_file.h"
#include "launcher/attempt_entries.h"
#include "launcher/supervisor.h"
#include "os/clock.h"

namespace gpusched {
namespace {

// Before the same thing is tried again: a full disk, a process that does not die.
constexpr auto kRetry = std::chrono::milliseconds{200};

Microseconds microseconds_of(const timeval& time) {
  return Microseconds{time.tv_sec * 1'000'000LL + time.tv_usec};
}

}  // namespace

void Supervisor::on_command_report() {
  CommandReport said;
  std::vector<Fd> files;
  const ssize_t got = receive_packet(command_report_.get(), reinterpret_cast<char*>(&said),
                                     sizeof said, files, MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return;
  if (got != static_cast<ssize_t>(sizeof said)) {  // Closed by exec.
    command_report_.reset();
    if (!problem_) on_started();
    return;
  }
  if (said.step != CommandReport::Step::kOpened) {
    problem_ = describe_problem(parts_.order.command, said);
    return;
  }
  status_.output = said.output;
  if (said.split) status_.error = said.split_error;
  for (int i = said.readable; i > 0 && !files.empty(); --i) {
    tails_.emplace_back(std::move(files.back()), said.sizes[i - 1]);
    files.pop_back();
  }
  if (files.size() == 2 && parts_.attachment) {
    user_logs_[0] = std::move(files[0]);
    user_logs_[1] = std::move(files[1]);
    parts_.attachment->set_logs(user_logs_[0].get(), user_logs_[1].get());
  }
}

void Supervisor::on_started() {
  const Now now = read_clock();
  started_ = true;
  phase_ = Phase::kRunning;
  timeline_.begin(parts_.order.time, now.boot);
  status_.pid = pid_;
  status_.started_at = now.wall;
  status_.started_boot = now.boot;
  status_.boot_id = settings_.boot_id;
  status_.device_filter = parts_.device_filter;
  if (parts_.order.devices.mps)
    status_.mps = parts_.mps.place ? "on" : "off: " + parts_.mps.problem;
  status_.vram_limit = parts_.vram_limit;
  struct stat about {};
  if (parts_.log && ::fstat(parts_.log.get(), &about) == 0) {
    status_.output = {about.st_dev, about.st_ino};
  }
  ended_.started_at = now.wall;
  write_status_file();
  report(encode(CommandStarted{ended_.attempt, pid_, now.wall, status_.without_mps()}));
}

void Supervisor::write_status_file() {
  status_missing_ = !replace_file(parts_.directory.get(), "status", write_status(status_), 0600);
  if (status_missing_ && directory_is_gone()) status_missing_ = false;
  if (status_missing_ && !retry_at_) retry_at_ = read_clock().boot + kRetry;
}

// Called when children may have ended, and again while the tree is slow to die.
void Supervisor::reap() {
  while (true) {
    int status = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &status, WNOHANG, &usage);
    if (pid == 0) break;
    if (pid < 0) {
      if (errno == EINTR) continue;
      children_left_ = false;
      break;
    }
    if (pid != pid_) continue;
    wait_status_ = status;
    usage_ = usage;
    // What it had to say before exec is there by now; the end of exec, too.
    while (command_report_) on_command_report();
    phase_ = Phase::kEndingTree;
  }
  if (phase_ != Phase::kEndingTree) return;
  if (children_left_) {
    end_tree();
    retry_at_ = read_clock().boot + kRetry;
    return;
  }
  phase_ = Phase::kRecording;
  record_exit();
}

void Supervisor::end_tree() {
  if (adopted_) {
    told_to_end_ = true;
    adopted_->signal(SIGKILL);
    return;
  }
  if (parts_.leaf && kill_leaf(parts_.leaf.get())) return;
  signal_descendants(::getpid(), SIGKILL);
}

void Supervisor::signal_command(int signal) {
  if (adopted_) {
    if (signal == SIGTERM) told_to_end_ = true;
    adopted_->signal(signal);
    return;
  }
  // Before it has its own session there is no group yet.
  if (pid_ > 0 && ::kill(-pid_, signal) != 0 && errno == ESRCH) ::kill(pid_, signal);
}

bool Supervisor::ran_out_of_gpu_memory() const {
  if (parts_.log && tells_of_gpu_memory(LogTail::read(parts_.log.get(), 0))) return true;
  return std::ranges::any_of(tails_,
                             [](const LogTail& tail) { return tells_of_gpu_memory(tail.read()); });
}

void Supervisor::compose_exit() {
  ended_.ended_at = read_clock().wall;
  ended_.usage.user_cpu = microseconds_of(usage_.ru_utime);
  ended_.usage.system_cpu = microseconds_of(usage_.ru_stime);
  ended_.usage.max_rss_bytes = static_cast<std::uint64_t>(usage_.ru_maxrss) * 1024;
  if (parts_.order.adopted) return compose_adopted_exit();
  const auto said =
      read_progress(settings_.state_directory, ended_.attempt.job, parts_.order.command.owner.uid);
  if (said) ended_.usage.said = said->said;
  if (problem_) {
    ended_.cause = Cause::kLaunch;
    ended_.exit_code = problem_->exit_code;
    ended_.message = problem_->message;
    ended_.started_at.reset();
    return;
  }
  if (WIFSIGNALED(wait_status_)) {
    ended_.cause = Cause::kSignal;
    ended_.signal = WTERMSIG(wait_status_);
  } else {
    ended_.cause = Cause::kExit;
    ended_.exit_code = WEXITSTATUS(wait_status_);
  }
  ended_.message = note_;
  const bool failed = ended_.exit_code ? *ended_.exit_code != 0 : ended_.signal == SIGABRT;
  if (failed && ran_out_of_gpu_memory()) {
    ended_.cause = Cause::kCudaOom;
    ended_.message = "it ran out of GPU memory";
  }
  if (wait_status_ != 0 && note_.empty() && parts_.mps.place) {
    const std::string trouble = mps_trouble(*parts_.mps.place);
    if (!trouble.empty()) ended_.message = trouble;
  }
  if (wait_status_ != 0 && parts_.leaf && oom_kills_in(parts_.leaf.get()) > 0) {
    ended_.cause = Cause::kHostOom;
    ended_.message = "the kernel ended a process of this job for lack of memory";
  }
  if (timed_out_) {
    ended_.cause = Cause::kTimeout;
    ended_.message =
        "its time limit of " + format_duration(timeline_.rule().limit) + " was reached";
  }
}

// Somebody has removed it: nothing that is written there will ever be read. Without its claim it is
// as good as gone: nobody who looks there would find us.
bool Supervisor::directory_is_gone() const {
  const auto removed = [](int file) {
    struct stat about {};
    return ::fstat(file, &about) == 0 && about.st_nlink == 0;
  };
  return removed(parts_.directory.get()) || removed(parts_.claim.get());
}

// The next daemon would know nothing of this attempt, and give its cards to others.
void Supervisor::look_for_directory(Boot now) {
  constexpr Seconds kEvery{5};
  directory_at_ = now + kEvery;
  if (!directory_is_gone()) return listen_again();
  directory_at_.reset();
  if (adopted_) return let_go();
  note_ = "its job directory was removed; the job was ended with it";
  timeline_.stop(now, parts_.order.time.grace);
  apply_timeline();
}

// Without its socket nobody could ever tell it to end the job.
void Supervisor::listen_again() {
  struct stat status {};
  if (::fstatat(parts_.directory.get(), "control", &status, AT_SYMLINK_NOFOLLOW) == 0 ||
      errno != ENOENT) {
    return;
  }
  if (auto control = listen_for_control(parts_.directory.get())) {
    parts_.control = std::move(*control);
  }
}

void Supervisor::record_exit() {
  if (ended_.ended_at == Wall{}) {
    // First: the last words may tell how it ended.
    if (parts_.attachment) parts_.attachment->drain();
    compose_exit();
    if (trim_) trim_->finish();
  }
  const std::string record = write_exit(ended_);
  if (!replace_file(parts_.directory.get(), "exit", record, 0600) && !directory_is_gone()) {
    // A full disk: the exit code must not be lost, so this process stays until it is written.
    retry_at_ = read_clock().boot + kRetry;
    return;
  }
  report(encode(CommandEnded{ended_.attempt, record}));
  // After the report: the next job need not wait for it. A group may count its last process for a
  // moment longer than we have waited for it.
  if (parts_.leaf && !remove_leaf(parts_.leaf_path) &&
      wait_until_leaf_is_empty(parts_.leaf.get(), 100)) {
    remove_leaf(parts_.leaf_path);
  }
  parts_.leaf.reset();
  if (parts_.mps.place) leave_mps(settings_, *parts_.mps.place);
  if (!parts_.attachment) {
    phase_ = Phase::kDone;
    return;
  }
  phase_ = Phase::kLingering;
  parts_.attachment->finish(JobExit{ended_.cause, ended_.exit_code, ended_.signal, ended_.message});
}

void Supervisor::report(std::string message) {
  reports_.push_back(std::move(message));
  flush_reports();
}

void Supervisor::flush_reports() {
  while (!reports_.empty()) {
    const int error = send_packet(settings_.report_fd, reports_.front(), {}, MSG_DONTWAIT);
    if (error == EAGAIN) return;
    // No daemon: the next one reads the job directory.
    if (error != 0) {
      reports_.clear();
      return;
    }
    reports_.pop_front();
  }
}

}  // namespace gpusched
