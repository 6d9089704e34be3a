#include "launcher/mps_control.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "os/clock.h"

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

}  // namespace

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, 300);
}

namespace {

// Into memory, not into a pipe: what it leaves behind may go on printing when nobody reads.
std::string printed_in(int output) {
  std::string said(kAnswerMost, '\0');
  const ssize_t got = ::pread(output, said.data(), said.size(), 0);
  said.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return said;
}

Result<std::string> run_control(const MpsControl& control, const ControlRun& run) {
  int in[2];
  const Fd output(::memfd_create("gpusched-mps", MFD_CLOEXEC));
  if (!output || ::pipe2(in, O_CLOEXEC) != 0) {
    return failure(ErrorCode::kIo, std::string("make a pipe: ") + std::strerror(errno));
  }
  Fd their_in(in[0]), input(in[1]);
  const pid_t pid = ::fork();
  if (pid == 0) become_control(control, run, their_in.get(), output.get());
  if (pid < 0) {
    return failure(ErrorCode::kIo, std::string("start a process: ") + std::strerror(errno));
  }
  their_in.reset();
  // Smaller than what a pipe holds; one that has ended already is told of below.
  if (::write(input.get(), run.input.data(), run.input.size()) < 0) errno = 0;
  input.reset();
  const Boot deadline = read_clock().boot + kControlPatience;
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) != pid) {
    if (read_clock().boot > deadline) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
      return failure(ErrorCode::kUnavailable, run.words.front() + " does not come to an end");
    }
    pause_for(std::chrono::milliseconds{5});
  }
  std::string said = printed_in(output.get());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return said;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return failure(ErrorCode::kUnavailable, run.words.front() + " cannot be run");
  }
  const std::string words = one_line(std::move(said));
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
