#include "launcher/command.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <pwd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "jobdir/packet.h"
#include "launcher/fork_into.h"

namespace gpusched {
namespace {

using Step = CommandReport::Step;

// Runs in the new process only.
class Becoming {
 public:
  Becoming(const CommandPlan& plan, int report, pid_t shim)
      : plan_(plan), order_(*plan.order), report_(report), shim_(shim) {}

  [[noreturn]] void run() {
    die_with_the_shim();
    if (::setsid() < 0) fail(Step::kSession);
    default_signals();
    if (plan_.reset_oom_score) reset_oom_score();
    stay_near();
    give_up_rights();
    leave_keyring();
    set_limits();
    ::umask(order_.umask);
    compose_words();
    wait_for_release();
    if (::chdir(order_.working_directory.c_str()) != 0) fail(Step::kDirectory);
    connect_files();
    exec();
    fail(Step::kExec);
  }

 private:
  [[noreturn]] void fail(Step step) {
    CommandReport said;
    said.step = step;
    said.error = errno;
    send(said, {});
    ::_exit(127);
  }

  void send(const CommandReport& said, const std::vector<int>& files) {
    send_packet(report_, {reinterpret_cast<const char*>(&said), sizeof said}, files);
  }

  // Nothing may run on unsupervised; whatever this process starts later is found by its group.
  void die_with_the_shim() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != shim_) ::_exit(127);
  }

  void default_signals() {
    struct sigaction normal {};
    normal.sa_handler = SIG_DFL;
    for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM}) {
      ::sigaction(signal, &normal, nullptr);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  void wait_for_release() {
    ::close(plan_.release_fd);
    char released = 0;
    ssize_t got = 0;
    do {
      got = ::read(plan_.wait_fd, &released, 1);
    } while (got < 0 && errno == EINTR);
    if (got != 1) ::_exit(127);  // The shim has let go: this attempt is not to run.
  }

  // The daemon may be protected from the kernel's killer; its jobs are not.
  void reset_oom_score() {
    const Fd file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
    if (file && ::write(file.get(), "0", 1) != 1) return;
  }

  // The daemon's session keyring may hold what its starter unlocked.
  void leave_keyring() { ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr); }

  // As the user: what he may not give himself, a job does not get either.
  void set_limits() {
    for (const ResourceLimit& limit : order_.limits) {
      const auto resource = static_cast<__rlimit_resource_t>(limit.resource);
      rlimit wanted{limit.soft, limit.hard};
      if (::setrlimit(resource, &wanted) == 0) continue;
      // The submitter's limits as far as ours allow.
      rlimit ours{};
      if (::getrlimit(resource, &ours) != 0) continue;
      wanted.rlim_max = std::min(wanted.rlim_max, ours.rlim_max);
      wanted.rlim_cur = std::min(wanted.rlim_cur, wanted.rlim_max);
      ::setrlimit(resource, &wanted);
    }
  }

  // A wish: CPUs that we may not use, or that are off, are no reason not to run.
  void stay_near() {
    if (plan_.near_cpus.empty()) return;
    const auto most = static_cast<std::size_t>(*std::ranges::max_element(plan_.near_cpus)) + 1;
    cpu_set_t* set = CPU_ALLOC(most);
    if (set == nullptr) return;
    CPU_ZERO_S(CPU_ALLOC_SIZE(most), set);
    for (const int cpu : plan_.near_cpus) {
      CPU_SET_S(static_cast<std::size_t>(cpu), CPU_ALLOC_SIZE(most), set);
    }
    ::sched_setaffinity(0, CPU_ALLOC_SIZE(most), set);
    CPU_FREE(set);
  }

  void give_up_rights() {
    if (!plan_.change_user) return;
    const uid_t uid = order_.owner.uid;
    const gid_t gid = order_.owner.gid;
    if (::setgroups(plan_.groups.size(), plan_.groups.data()) != 0 ||
        ::setresgid(gid, gid, gid) != 0 || ::setresuid(uid, uid, uid) != 0) {
      fail(Step::kIdentity);
    }
    uid_t real = 0;
    uid_t effective = 0;
    uid_t saved = 0;
    // Believe it only when it is so and there is no way back.
    if (::getresuid(&real, &effective, &saved) != 0 || real != uid || effective != uid ||
        saved != uid || ::setuid(0) == 0) {
      errno = EPERM;
      fail(Step::kIdentity);
    }
    die_with_the_shim();  // Changing user has cleared it.
  }

  int open_for_user(const std::string& path, Step step) {
    // Not waiting: a pipe that nobody reads would keep the job from starting, for ever.
    const int file = ::open(
        path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file < 0 || ::fcntl(file, F_SETFL, O_APPEND) != 0) fail(step);
    return file;
  }

  void connect_files() {
    const bool own_output = order_.output_path.empty();
    const int output = own_output ? plan_.log_fd : open_for_user(order_.output_path, Step::kOutput);
    const bool split = !order_.error_path.empty();
    const int error = split ? open_for_user(order_.error_path, Step::kError) : output;
    if (!own_output || split) say_opened(output, error, split);
    if (order_.attach == Attach::kNone) {
      if (::dup2(plan_.null_fd, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(error, 2) < 0) {
        fail(Step::kOutput);
      }
      return;
    }
    for (int i = 0; i < 3; ++i) {
      if (::dup2(plan_.attached[i], i) < 0) fail(Step::kTerminal);
    }
    if (order_.attach == Attach::kPty && ::ioctl(0, TIOCSCTTY, 0) != 0) fail(Step::kTerminal);
  }

  void say_opened(int output, int error, bool split) {
    CommandReport said;
    struct stat about {};
    if (::fstat(output, &about) == 0) said.output = {about.st_dev, about.st_ino};
    if (::fstat(error, &about) == 0) said.split_error = {about.st_dev, about.st_ino};
    said.split = split;
    std::vector<int> files;
    if (order_.attach != Attach::kNone) files = {output, error};
    add_readable(output, order_.output_path, said, files);
    if (split) add_readable(error, order_.error_path, said, files);
    send(said, files);
  }

  // By its path and as the user, whose file it is: /proc is root's since the change of user. Only a
  // plain file that is still the same, and that they may read.
  static void add_readable(int written, const std::string& path, CommandReport& said,
                           std::vector<int>& files) {
    if (path.empty()) return;
    const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat here {};
    struct stat there {};
    if (file < 0 || ::fstat(file, &here) != 0 || ::fstat(written, &there) != 0 ||
        !S_ISREG(here.st_mode) || here.st_dev != there.st_dev || here.st_ino != there.st_ino) {
      return;
    }
    files.push_back(file);
    said.sizes[said.readable++] = static_cast<std::uint64_t>(here.st_size);
  }

  void compose_words() {
    argv_.reserve(order_.argv.size() + 1);
    for (const std::string& word : order_.argv) argv_.push_back(const_cast<char*>(word.c_str()));
    argv_.push_back(nullptr);
    variables_.reserve(plan_.environment.size() + 1);
    for (const std::string& one : plan_.environment) {
      variables_.push_back(const_cast<char*>(one.c_str()));
    }
    variables_.push_back(nullptr);
  }

  void exec() {
    const std::string& program = order_.argv.front();
    if (program.find('/') != std::string::npos) {
      exec_file(program, argv_, variables_);
      return;
    }
    bool denied = false;
    std::string path = path_of_job();
    for (std::size_t at = 0; at <= path.size();) {
      const std::size_t end = std::min(path.find(':', at), path.size());
      const std::string place = path.substr(at, end - at);
      exec_file(place.empty() ? program : place + "/" + program, argv_, variables_);
      denied = denied || errno == EACCES;
      if (errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ELOOP) return;
      at = end + 1;
    }
    errno = denied ? EACCES : ENOENT;
  }

  std::string path_of_job() const {
    for (const std::string& variable : plan_.environment) {
      if (variable.compare(0, 5, "PATH=") == 0) return variable.substr(5);
    }
    return "/usr/local/bin:/usr/bin:/bin";
  }

  static void exec_file(const std::string& file, std::vector<char*>& argv,
                        std::vector<char*>& variables) {
    ::execve(file.c_str(), argv.data(), variables.data());
    if (errno != ENOEXEC) return;
    // A script without a first line that names its interpreter: as every shell does.
    std::vector<char*> shell{const_cast<char*>("sh"), const_cast<char*>(file.c_str())};
    shell.insert(shell.end(), argv.begin() + 1, argv.end());
    ::execve("/bin/sh", shell.data(), variables.data());
  }

  const CommandPlan& plan_;
  const CommandOrder& order_;
  int report_;
  pid_t shim_;
  std::vector<char*> argv_;
  std::vector<char*> variables_;
};

}  // namespace

Result<void> plan_identity(CommandPlan& plan) {
  const Identity& owner = plan.order->owner;
  if (::geteuid() != 0) {
    if (owner.uid == ::geteuid()) return {};
    return failure(ErrorCode::kForbidden, "this daemon cannot run jobs of user " +
                                              std::to_string(owner.uid) + ": it is not root");
  }
  if (owner.uid == 0) return {};
  errno = 0;
  const passwd* account = ::getpwuid(owner.uid);
  if (account == nullptr) {
    if (errno != 0 && errno != ENOENT && errno != ESRCH) {
      return failure(ErrorCode::kIo, "cannot look up user " + std::to_string(owner.uid) + ": " +
                                         std::strerror(errno));
    }
    return failure(ErrorCode::kNotFound, "user " + std::to_string(owner.uid) + " no longer exists");
  }
  int count = 64;
  plan.groups.resize(static_cast<std::size_t>(count));
  while (::getgrouplist(account->pw_name, owner.gid, plan.groups.data(), &count) < 0) {
    if (count <= static_cast<int>(plan.groups.size()))
      count = static_cast<int>(plan.groups.size()) * 2;
    plan.groups.resize(static_cast<std::size_t>(count));
  }
  plan.groups.resize(static_cast<std::size_t>(count));
  plan.change_user = true;
  return {};
}

Result<StartedCommand> start_command(const CommandPlan& plan) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return failure(ErrorCode::kIo, std::string("make a socket pair: ") + std::strerror(errno));
  }
  Fd ours(ends[0]);
  const Fd theirs(ends[1]);
  const pid_t shim = ::getpid();
  const pid_t pid = fork_into(plan.leaf_fd);
  // ENODEV: somebody has removed the group under us; ENOENT, where its files are gone with it.
  if (pid < 0 && plan.leaf_fd >= 0 && (errno == ENODEV || errno == ENOENT)) {
    return failure(ErrorCode::kNotFound, "its control group vanished before it could be entered");
  }
  if (pid < 0) {
    return failure(ErrorCode::kBusy,
                   std::string("cannot start a process: ") + std::strerror(errno));
  }
  if (pid == 0) Becoming(plan, theirs.get(), shim).run();
  return StartedCommand{pid, std::move(ours)};
}

LaunchProblem describe_problem(const CommandOrder& order, const CommandReport& report) {
  const bool pipe =
      report.error == ENXIO && (report.step == Step::kOutput || report.step == Step::kError);
  std::string why = pipe ? "it is a pipe that nobody reads" : std::strerror(report.error);
  if (!why.empty() && why[0] >= 'A' && why[0] <= 'Z') why[0] = static_cast<char>(why[0] + 32);
  switch (report.step) {
    case Step::kOpened:
    case Step::kSession:
      return {"cannot make a session: " + why};
    case Step::kIdentity:
      return {"cannot become user " + std::to_string(order.owner.uid) + ": " + why};
    case Step::kDirectory:
      if (report.error == ENOENT) {
        return {"working directory '" + order.working_directory + "' does not exist"};
      }
      return {"cannot enter working directory '" + order.working_directory + "': " + why};
    case Step::kOutput:
      return {"cannot open '" + (order.output_path.empty() ? "log" : order.output_path) +
              "' for output: " + why};
    case Step::kError:
      return {"cannot open '" + order.error_path + "' for error output: " + why};
    case Step::kTerminal:
      return {"cannot set up the terminal: " + why};
    case Step::kExec:
      break;
  }
  return {"cannot run '" + order.argv.front() + "': " + why,
          report.error == ENOENT || report.error == ENOTDIR ? 127 : 126};
}

}  // namespace gpusched
