// gpusched-launcher STATE-DIRECTORY [CGROUP-BASE]
// Started by the daemon, never by people. Forks shims; small on purpose, because each of them is
// a copy of it. Takes the state directory's launcher lock first: while an older launcher may still
// start something, this one waits.
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "jobdir/cgroup.h"
#include "jobdir/job_directory.h"
#include "jobdir/launch_protocol.h"
#include "jobdir/state_id.h"
#include "launcher/serve.h"
#include "os/clock.h"
#include "os/descriptors.h"

namespace gpusched {
namespace {

[[noreturn]] void give_up(const char* doing, const std::string& what) {
  std::fprintf(stderr, "<3>gpusched-launcher: %s %s: %s\n", doing, what.c_str(),
               std::strerror(errno));
  std::exit(71);
}

// Only 0 to 4 mean something here; nothing else of the daemon's may reach a job.
void tidy_descriptors(int null_fd) {
  ::fcntl(kRequestSocket, F_SETFD, FD_CLOEXEC);
  ::fcntl(kReportSocket, F_SETFD, FD_CLOEXEC);
  ::dup2(null_fd, 0);
  ::dup2(null_fd, 1);
}

int prepare_signals() {
  struct sigaction setting {};
  for (int signal = 1; signal < 65; ++signal) {
    const bool ignored =
        signal == SIGHUP || signal == SIGINT || signal == SIGPIPE || signal == SIGTERM;
    setting.sa_handler = ignored ? SIG_IGN : SIG_DFL;
    ::sigaction(signal, &setting, nullptr);
  }
  sigset_t children;
  ::sigemptyset(&children);
  ::sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &children, nullptr);
  return ::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

int take_lock(const std::string& path) {
  const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock < 0) give_up("open", path);
  while (::flock(lock, LOCK_EX) != 0) {
    if (errno != EINTR) give_up("lock", path);
  }
  return lock;
}

bool oom_score_is_changed() {
  const Fd file(::open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC));
  char text[16] = {};
  return file && ::read(file.get(), text, sizeof text - 1) > 0 && std::atoi(text) < 0;
}

// So that shims need not load the name service each on its own.
void warm_name_service() {
  if (::geteuid() != 0) return;
  gid_t groups[1];
  int count = 1;
  if (const passwd* root = ::getpwuid(0)) {
    ::getgrouplist(root->pw_name, root->pw_gid, groups, &count);
  }
}

int run(const std::string& state, const std::string& cgroup_base) {
  ::close_range(kReportSocket + 1, ~0U, 0);
  ::umask(0);
  give_back_descriptor_limit();
  ShimSettings settings;
  settings.state_directory = state;
  settings.cgroup_base = cgroup_base;
  settings.report_fd = kReportSocket;
  settings.null_fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (settings.null_fd < 0) give_up("open", "/dev/null");
  tidy_descriptors(settings.null_fd);
  settings.children_fd = prepare_signals();
  if (const auto boot = read_boot_id()) settings.boot_id = *boot;
  settings.state_id = read_state_id(state).value_or("");
  settings.reset_oom_score = oom_score_is_changed();
  const std::string jobs = jobs_directory(state);
  if (::mkdir(jobs.c_str(), 0711) != 0 && errno != EEXIST) give_up("make", jobs);
  settings.jobs_fd = ::open(jobs.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (settings.jobs_fd < 0) give_up("open", jobs);
  if (!cgroup_base.empty()) enter_cgroup(cgroup_base + "/shims");
  if (::chdir("/") != 0) give_up("enter", "/");
  warm_name_service();
  const int lock = take_lock(state + "/launcher.lock");
  serve_requests(settings, lock);
  return 0;
}

}  // namespace
}  // namespace gpusched

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3 || ::fcntl(gpusched::kReportSocket, F_GETFD) < 0) {
    std::fprintf(stderr, "gpusched-launcher is started by gpuschedd, not by hand\n");
    return 64;
  }
  return gpusched::run(argv[1], argc > 2 ? argv[2] : "");
}
