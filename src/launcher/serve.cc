#include "launcher/serve.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "jobdir/cgroup.h"
#include "jobdir/job_directory.h"
#include "jobdir/launch_protocol.h"
#include "jobdir/packet.h"
#include "jobdir/process_tree.h"
#include "jobdir/remove_tree.h"
#include "launcher/adopt.h"
#include "launcher/attempt_entries.h"
#include "launcher/command.h"
#include "launcher/mps_keeper.h"

namespace gpusched {
namespace {

pid_t fork_with_pidfd(int& pidfd) {
  clone_args arguments{};
  arguments.flags = CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  arguments.exit_signal = SIGCHLD;
  const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<pid_t>(pid);
  const pid_t child = ::fork();
  if (child > 0) pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  return child;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// In a child of ours, in a session of its own: neither our end nor the daemon's interrupts a move.
[[noreturn]] void become_mover(const MoveRequest& request, int report_fd) {
  ::setsid();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::fcntl(report_fd, F_SETFD, 0);
  if (!request.words.empty()) {
    ::execve(request.words.front().c_str(), pointers_to(request.words).data(),
             pointers_to(request.variables).data());
  }
  const std::string program = request.words.empty() ? "nothing" : request.words.front();
  send_packet(report_fd, encode(MoverNotStarted{request.attempt, request.token,
                                                "start " + program + ": " + std::strerror(errno)}));
  ::_exit(127);
}

std::string read_whole(int file) {
  struct stat about {};
  if (::fstat(file, &about) != 0) return {};
  std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got =
        ::pread(file, bytes.data() + have, bytes.size() - have, static_cast<off_t>(have));
    if (got <= 0) return {};
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

class Server {
 public:
  Server(const ShimSettings& settings, int lock_fd) : settings_(settings), lock_fd_(lock_fd) {}

  void run() {
    remove_lost_spares(settings_.jobs_fd);
    send(LauncherReady{});
    in_worker([this] { replace_lost_keepers(settings_); });
    while (true) {
      pollfd waits[2] = {{kRequestSocket, POLLIN, 0}, {settings_.children_fd, POLLIN, 0}};
      const int ready = ::poll(waits, 2, spare_ || spare_failed_ ? -1 : 0);
      if (ready < 0) continue;
      if (ready == 0) make_spare();  // Nobody waits: the time to get ready for who comes next.
      if (waits[1].revents != 0) reap();
      if ((waits[0].revents & (POLLHUP | POLLERR)) != 0) return;
      if ((waits[0].revents & POLLIN) != 0) take_request();
    }
  }

 private:
  void reap() {
    signalfd_siginfo ignored;
    while (::read(settings_.children_fd, &ignored, sizeof ignored) > 0) {
    }
    for (pid_t pid = 0; (pid = ::waitpid(-1, nullptr, WNOHANG)) > 0;) {
      // Made for a shim that had ended by then; where something is in it, it is not removed.
      const auto made = leaves_made_.find(pid);
      if (made == leaves_made_.end()) continue;
      ::rmdir(made->second.c_str());
      leaves_made_.erase(made);
    }
  }

  void send(const LaunchMessage& message, const std::vector<int>& passed = {}) {
    // Failure means that the daemon is gone; the loop will see it.
    send_packet(kRequestSocket, encode(message), passed);
  }

  void take_request() {
    std::vector<Fd> passed;
    const ssize_t got =
        receive_packet(kRequestSocket, buffer_, sizeof buffer_, passed, MSG_DONTWAIT);
    if (got <= 0) return;
    const std::string_view packet(buffer_, static_cast<std::size_t>(got));
    auto message = decode_launch(packet);
    if (!message) return;
    look_for_jobs_directory();
    if (auto* launch = std::get_if<LaunchRequest>(&*message)) {
      if (!launch->order.empty() && !launch->adopts) last_packet_ = packet;
      if (launch->adopts || !launch_spare(packet, launch->attempt, passed)) {
        launch_shim(*launch, passed);
      }
    } else if (const auto* tree = std::get_if<EndTreeRequest>(&*message)) {
      in_worker([&] { end_tree(*tree); });
    } else if (const auto* containers = std::get_if<EndContainersRequest>(&*message)) {
      in_worker([&] { end_containers(*containers); });
    } else if (const auto* forget = std::get_if<ForgetRequest>(&*message)) {
      in_worker([&] { remove_jobs(*forget); });
    } else if (const auto* move = std::get_if<MoveRequest>(&*message)) {
      start_mover(*move);
    }
  }

  // Somebody has removed it, or put another in its place: whatever looks for a job looks there.
  void look_for_jobs_directory() {
    const std::string path = jobs_directory(settings_.state_directory);
    struct stat ours {};
    struct stat there {};
    if (::stat(path.c_str(), &there) == 0 && ::fstat(settings_.jobs_fd, &ours) == 0 &&
        ours.st_dev == there.st_dev && ours.st_ino == there.st_ino) {
      return;
    }
    // Ignoring failure: what cannot be made there is told of each attempt that needs it.
    ::mkdir(path.c_str(), 0711);
    const Fd made(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!made || ::dup3(made.get(), settings_.jobs_fd, O_CLOEXEC) < 0) return;
    spare_.reset();  // What it has made is in the old one.
  }

  // In the new process: nothing of the launcher's that would look like the launcher living on.
  void leave_launcher() {
    ::close(kRequestSocket);
    ::close(lock_fd_);
    spare_.reset();
  }

  [[noreturn]] void become_shim(LaunchRequest& request, std::vector<Fd>& passed,
                                SpareEntries* entries = nullptr) {
    if (request.order.empty() && !passed.empty()) request.order = read_whole(passed.back().get());
    Fd go;
    if (request.on_go && !passed.empty()) go = std::move(passed.front());
    passed.clear();
    if (request.adopts) {
      run_adopting_shim(settings_, request.attempt, request.order, std::move(go));
    } else {
      run_shim(settings_, request.attempt, request.order, std::move(go), entries);
    }
    ::_exit(0);
  }

  // A shim made beforehand, waiting for its attempt: a fork and the first touch of its memory are a
  // large part of a start. It ends with the launcher, whose end of the socket is the only one.
  void make_spare() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
      spare_failed_ = true;
      return;
    }
    Fd ours(ends[0]);
    const Fd theirs(ends[1]);
    load_last_filter();
    int pidfd = -1;
    const pid_t pid = fork_with_pidfd(pidfd);
    if (pid == 0) {
      ours.reset();
      leave_launcher();
      wait_as_spare(theirs.get());
    }
    spare_failed_ = pid < 0;
    if (pid > 0) spare_ = Spare{std::move(ours), Fd(pidfd), pid};
  }

  [[noreturn]] void wait_as_spare(int socket) {
    ::prctl(PR_SET_NAME, "gpusched-spare");
    auto entries = make_spare_entries(settings_.jobs_fd);
    rehearse();
    if (entries) entries->filters = std::move(filters_);
    std::vector<Fd> passed;
    const ssize_t got = receive_packet(socket, buffer_, sizeof buffer_, passed);
    auto message = decode_launch({buffer_, static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
    auto* request = message ? std::get_if<LaunchRequest>(&*message) : nullptr;
    if (request == nullptr) {
      if (entries) remove_spare_entries(settings_.jobs_fd, *entries);
      ::_exit(0);
    }
    become_shim(*request, passed, entries ? &*entries : nullptr);
  }

  std::optional<LaunchOrder> last_order() const {
    const auto message = decode_launch(last_packet_.empty() ? usual_packet() : last_packet_);
    const auto* request = message ? std::get_if<LaunchRequest>(&*message) : nullptr;
    auto order = decode_order(request != nullptr ? request->order : "");
    return order ? std::optional(std::move(*order)) : std::nullopt;
  }

  // Goes through the last order once more: pages that are still shared are copied now.
  void rehearse() {
    const auto order = last_order();
    if (order && merged_environment(order->command).empty()) return;
    for (std::size_t at = 0; at < sizeof buffer_ / 4; at += 4096) buffer_[at] = 0;
  }

  // Once for all jobs with these cards: every spare that is made from now on has it.
  void load_last_filter() {
    constexpr std::size_t kFiltersMost = 32;
    if (settings_.cgroup_base.empty() || last_packet_.empty()) return;
    const auto order = last_order();
    if (!order || !order->devices.filter) return;
    const DeviceFilter& wanted = *order->devices.filter;
    if (std::ranges::find(filters_, wanted, &LoadedFilter::filter) != filters_.end()) return;
    auto loaded = load_filter(wanted);
    if (!loaded) return;
    if (filters_.size() >= kFiltersMost) filters_.erase(filters_.begin());
    filters_.push_back(std::move(*loaded));
  }

  static std::string usual_packet() {
    LaunchOrder usual;
    auto environment = std::make_shared<Environment>();
    environment->variables.assign(100, std::string(60, '='));
    usual.command.environment = std::move(environment);
    usual.command.argv = {"true"};
    return encode(LaunchRequest{{}, false, false, encode_order(usual)});
  }

  // False: there is none, and it is to be done the long way.
  bool launch_spare(std::string_view packet, AttemptId attempt, const std::vector<Fd>& passed) {
    if (!spare_) return false;
    const Spare spare = std::move(*spare_);
    spare_.reset();
    std::vector<int> files;
    for (const Fd& file : passed) files.push_back(file.get());
    if (!spare.pidfd || send_packet(spare.socket.get(), packet, files, MSG_DONTWAIT) != 0) {
      return false;
    }
    // While it is busy with other things. It may have ended before this; see reap().
    if (!settings_.cgroup_base.empty()) {
      std::string& leaf = leaves_made_[spare.pid];
      leaf = leaf_path_of(settings_, attempt);
      premake_leaf(leaf);
    }
    send(ShimLaunched{attempt, spare.pid}, {spare.pidfd.get()});
    return true;
  }

  void launch_shim(LaunchRequest& request, std::vector<Fd>& passed) {
    spare_failed_ = false;
    int pidfd = -1;
    const pid_t pid = fork_with_pidfd(pidfd);
    if (pid == 0) {
      leave_launcher();
      become_shim(request, passed);
    }
    if (pid < 0) {
      send(ShimNotLaunched{request.attempt,
                           std::string("cannot start a process: ") + std::strerror(errno)});
      return;
    }
    const Fd owned(pidfd);
    send(ShimLaunched{request.attempt, pid},
         owned ? std::vector<int>{owned.get()} : std::vector<int>{});
  }

  template <class Work>
  void in_worker(Work work) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      leave_launcher();
      work();
      ::_exit(0);
    }
    // No process to be had: the work is done here, late launches are better than none.
    if (pid < 0) work();
  }

  void end_tree(const EndTreeRequest& lost) {
    if (!lost.cgroup.empty()) {
      const Fd leaf(::open(lost.cgroup.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      while (leaf && !leaf_is_empty(leaf.get())) {
        kill_leaf(leaf.get());
        if (!wait_until_leaf_is_empty(leaf.get(), 1000) && daemon_is_gone()) return;
      }
      remove_leaf(lost.cgroup);
    }
    const LostTree tree{lost.attempt,
                        checkpoint_directory(settings_.state_directory, lost.attempt.job),
                        lost.session, lost.session_started};
    for (auto left = find_lost_tree(tree); !left.empty(); left = find_lost_tree(tree)) {
      for (const pid_t pid : left) ::kill(pid, SIGKILL);
      // They are not ours to wait for, and the dying need a moment.
      if (daemon_is_gone_within(50)) return;
    }
    send_packet(settings_.report_fd, encode(TreeEnded{lost.attempt}));
    // Its shim would have seen to it.
    replace_lost_keepers(settings_);
  }

  // Their engine notices, and clears up behind them.
  void end_containers(const EndContainersRequest& left_behind) {
    constexpr int kRounds = 40;
    for (const std::string& group : left_behind.groups) {
      for (int round = 0; round < kRounds; ++round) {
        const auto inside = find_container(group, left_behind.since);
        if (inside.empty()) break;
        for (const pid_t pid : inside) ::kill(pid, SIGKILL);
        if (daemon_is_gone_within(50)) return;
      }
    }
  }

  bool daemon_is_gone() { return daemon_is_gone_within(0); }
  bool daemon_is_gone_within(int milliseconds) {
    pollfd wait{settings_.report_fd, 0, 0};
    return ::poll(&wait, 1, milliseconds) > 0;
  }

  void remove_jobs(const ForgetRequest& request) {
    std::string problem;
    for (const JobId job : request.jobs) {
      auto removed = remove_tree(settings_.jobs_fd, to_string(job));
      if (!removed) problem = removed.error().message;
    }
    send_packet(settings_.report_fd, encode(Forgotten{std::move(problem)}));
  }

  void start_mover(const MoveRequest& request) {
    int pidfd = -1;
    const pid_t pid = fork_with_pidfd(pidfd);
    if (pid == 0) {
      leave_launcher();
      become_mover(request, settings_.report_fd);
    }
    if (pid < 0) {
      send(MoverNotStarted{request.attempt, request.token,
                           std::string("cannot start a process: ") + std::strerror(errno)});
      return;
    }
    const Fd owned(pidfd);
    send(MoverStarted{request.attempt, request.token, pid},
         owned ? std::vector<int>{owned.get()} : std::vector<int>{});
  }

  struct Spare {
    Fd socket;
    Fd pidfd;
    pid_t pid = -1;
  };

  const ShimSettings& settings_;
  int lock_fd_;
  std::optional<Spare> spare_;
  std::string last_packet_;                   // Of the last command; empty: there was none.
  std::vector<LoadedFilter> filters_;         // The newest last.
  std::map<pid_t, std::string> leaves_made_;  // For shims that live.
  bool spare_failed_ = false;  // No process to be had; tried again after the next launch.
  char buffer_[kLargestLaunchPacket];
};

}  // namespace

void serve_requests(const ShimSettings& settings, int lock_fd) { Server(settings, lock_fd).run(); }

}  // namespace gpusched
