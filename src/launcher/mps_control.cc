#include "launcher/mps_control.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/clock.h"

namespace gpusched {
namespace {

constexpr std::chrono::seconds kControlPatience{10};
constexpr std::size_t kAnswerMost = 16 * 1024;

struct ControlRun {
  std::vector<std::string> words;
  std::string input;
};

std::vector<std::string> environment_for(const MpsControl& control) {
  std::vector<std::string> variables = control.plan.variables;
  variables.insert(variables.end(),
                   {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
                    "CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=" + control.plan.uuid,
                    "CUDA_MPS_PIPE_DIRECTORY=" + control.place + "/pipe",
                    "CUDA_MPS_LOG_DIRECTORY=" + control.place + "/log"});
  return variables;
}

bool become_owner(const Identity& owner) {
  if (::geteuid() != 0 || owner.uid == 0) return true;
  const bool named = !owner.user.empty() && ::initgroups(owner.user.c_str(), owner.gid) == 0;
  return (named || ::setgroups(0, nullptr) == 0) &&
         ::setresgid(owner.gid, owner.gid, owner.gid) == 0 &&
         ::setresuid(owner.uid, owner.uid, owner.uid) == 0;
}

// In the new process.
[[noreturn]] void become_control(const MpsControl& control, const ControlRun& run, int in,
                                 int out) {
  if (control.group_fd >= 0) {
    const Fd members(::openat(control.group_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC));
    // Without it the processes are found by their parent alone.
    if (members && ::write(members.get(), "0", 1) < 0) errno = 0;
  }
  for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGCHLD}) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setsid();
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(out, 2);
  ::umask(077);
  if (!become_owner(control.plan.owner)) ::_exit(126);
  std::vector<std::string> words = run.words;
  std::vector<std::string> variables = environment_for(control);
  std::vector<char*> argv, envp;
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& variable : variables) envp.push_back(variable.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(127);
}

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, 300);
}

// What it prints until it ends. The daemon that it leaves behind has the same output, so its end is
// not waited for.
Result<std::string> run_control(const MpsControl& control, const ControlRun& run) {
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC | O_NONBLOCK) != 0) {
    return failure(ErrorCode::kIo, std::string("make a pipe: ") + std::strerror(errno));
  }
  Fd their_in(in[0]), input(in[1]), answer(out[0]), their_out(out[1]);
  const pid_t pid = ::fork();
  if (pid == 0) become_control(control, run, their_in.get(), their_out.get());
  if (pid < 0) {
    return failure(ErrorCode::kIo, std::string("start a process: ") + std::strerror(errno));
  }
  their_in.reset();
  their_out.reset();
  // Smaller than what a pipe holds; one that has ended already is told of below.
  if (::write(input.get(), run.input.data(), run.input.size()) < 0) errno = 0;
  input.reset();
  const Boot deadline = read_clock().boot + kControlPatience;
  std::string said;
  int status = 0;
  while (true) {
    char piece[4096];
    ssize_t got = 0;
    while (said.size() < kAnswerMost && (got = ::read(answer.get(), piece, sizeof piece)) > 0) {
      said.append(piece, static_cast<std::size_t>(got));
    }
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) break;
    if (read_clock().boot > deadline) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
      return failure(ErrorCode::kUnavailable, run.words.front() + " does not come to an end");
    }
    pollfd wait{answer.get(), POLLIN, 0};
    ::poll(&wait, 1, 10);
  }
  char piece[4096];
  const ssize_t rest = ::read(answer.get(), piece, sizeof piece);
  if (rest > 0) said.append(piece, static_cast<std::size_t>(rest));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return said;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return failure(ErrorCode::kUnavailable, run.words.front() + " cannot be run");
  }
  const std::string words = one_line(said);
  return failure(ErrorCode::kUnavailable,
                 run.words.front() + " failed" + (words.empty() ? "" : ": " + words));
}

}  // namespace

Result<void> start_mps_daemon(const MpsControl& control) {
  auto started = run_control(control, {{control.plan.program, "-d"}, ""});
  if (!started) return failure(std::move(started.error()));
  return {};
}

Result<std::string> tell_mps_daemon(const MpsControl& control, const std::string& command) {
  return run_control(control, {{control.plan.program}, command + "\n"});
}

}  // namespace gpusched
