#include "launcher/mps_keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "jobdir/cgroup.h"
#include "jobdir/mps_place.h"
#include "jobdir/process_tree.h"
#include "jobdir/remove_tree.h"
#include "launcher/mps_control.h"
#include "os/clock.h"

namespace gpusched {
namespace {

constexpr int kLookEveryMs = 500;
constexpr std::chrono::seconds kQuitPatience{5};
constexpr std::chrono::seconds kServerPatience{5};
constexpr std::size_t kProcessesKnownMost = 16;

bool lives(const MpsProcess& process) {
  const auto now = find_process(process.pid);
  return now && !now->zombie && now->started == process.started;
}

// Not the owner of the entry in /proc, which is root for what must not be looked into.
std::optional<std::uint32_t> uid_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Uid:")) return static_cast<std::uint32_t>(std::atol(line.c_str() + 4));
  }
  return std::nullopt;
}

class Keeper {
 public:
  Keeper(const ShimSettings& settings, MpsPlace place, MpsPlan plan)
      : settings_(settings), place_(std::move(place)), plan_(std::move(plan)) {
    if (settings.cgroup_base.empty()) return;
    group_path_ = settings.cgroup_base + "/mps/" + place_.name();
    ::mkdir((settings.cgroup_base + "/mps").c_str(), 0755);
    ::mkdir(group_path_.c_str(), 0755);
    group_.reset(::open(group_path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  void run() {
    const auto found = place_.server();
    if (found && found->phase != MpsServer::Phase::kFailed) {
      server_ = *found;
    } else if (place_.is_used()) {
      if (auto started = start(); !started) return give_up(started.error().message);
    }
    std::optional<Boot> unused_since;
    while (true) {
      look();
      const Boot now = read_clock().boot;
      if (place_.is_used()) {
        unused_since.reset();
      } else if (!unused_since) {
        unused_since = now;
      }
      const bool over = server_.phase != MpsServer::Phase::kReady || server_.processes.empty();
      if (unused_since && (over || now - *unused_since >= plan_.linger) &&
          place_.close_to_newcomers()) {
        return stop();
      }
      wait();
    }
  }

 private:
  MpsControl control() const { return {plan_, place_.path(), group_.get()}; }

  // Two directories that are the user's and nobody else's.
  Result<void> make_directories() {
    for (const char* name : {"pipe", "log"}) {
      if (auto removed = remove_tree(place_.directory(), name); !removed) return removed;
      const bool made = ::mkdirat(place_.directory(), name, 0700) == 0 &&
                        (::geteuid() != 0 || ::fchownat(place_.directory(), name, plan_.owner.uid,
                                                        plan_.owner.gid, AT_SYMLINK_NOFOLLOW) == 0);
      if (!made) {
        return failure(ErrorCode::kIo,
                       "make " + place_.path() + "/" + name + ": " + std::strerror(errno));
      }
    }
    return {};
  }

  Result<void> start() {
    end_leftovers();
    if (auto made = make_directories(); !made) return made;
    if (auto started = start_mps_daemon(control()); !started) return started;
    // Now, and not with the first client: what keeps it from starting is known before the job runs.
    const auto asked =
        tell_mps_daemon(control(), "start_server -uid " + std::to_string(plan_.owner.uid));
    if (!asked) return failure(asked.error());
    for (const ProcessEntry& entry : list_processes()) {
      if (entry.parent == ::getpid() && !entry.zombie) add({entry.pid, entry.started});
    }
    if (server_.processes.empty()) {
      return failure(ErrorCode::kUnavailable, plan_.program + " ended at once");
    }
    const Boot deadline = read_clock().boot + kServerPatience;
    while (!add_listed_servers()) {
      const std::string said = one_line(*asked);
      if (!said.empty()) return failure(ErrorCode::kUnavailable, plan_.program + " says: " + said);
      // It has not refused, so the first client may have more luck.
      if (read_clock().boot > deadline) break;
      pause_for(std::chrono::milliseconds{20});
    }
    server_.phase = MpsServer::Phase::kReady;
    server_.at = read_clock().wall;
    return place_.set_server(server_);
  }

  bool knows(const MpsProcess& one) const {
    return std::ranges::find(server_.processes, one) != server_.processes.end();
  }
  // What the daemon says of itself is its user's word, and what we know of we may end: nobody
  // else's.
  bool add(const MpsProcess& one) {
    if (knows(one)) return true;
    if (uid_of(one.pid) != plan_.owner.uid) return false;
    server_.processes.push_back(one);
    return true;
  }
  bool add_listed_servers() {
    const auto listed = tell_mps_daemon(control(), "get_server_list");
    std::istringstream words(listed ? *listed : "");
    bool any = false;
    for (pid_t pid = 0; words >> pid && server_.processes.size() < kProcessesKnownMost;) {
      const auto entry = find_process(pid);
      any = (entry && add({pid, entry->started})) || any;
    }
    return any;
  }

  // Those who wait for it read why; the next job tries again.
  void give_up(std::string why) {
    end_leftovers();
    const MpsServer failed{MpsServer::Phase::kFailed, std::move(why), read_clock().wall, {}};
    if (!place_.set_server(failed)) errno = 0;  // They run into their deadline.
  }

  // A server that started later, with its first client. What is there for a moment only is none.
  void learn_servers() {
    std::vector<MpsProcess> seen;
    for (const MpsProcess& known : server_.processes) {
      for (const pid_t pid : descendants_of(known.pid)) {
        const auto entry = find_process(pid);
        if (!entry || pid == known.pid) continue;
        const MpsProcess one{pid, entry->started};
        if (!knows(one) && std::ranges::find(seen, one) == seen.end()) seen.push_back(one);
      }
    }
    bool learnt = false;
    for (const MpsProcess& one : seen) {
      if (std::ranges::find(fresh_, one) == fresh_.end()) continue;
      learnt = (server_.processes.size() < kProcessesKnownMost && add(one)) || learnt;
    }
    fresh_ = std::move(seen);
    if (learnt && !place_.set_server(server_)) errno = 0;  // Tried again with the next change.
  }

  void look() {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (server_.phase != MpsServer::Phase::kReady) return;
    for (const MpsProcess& one : server_.processes) {
      if (lives(one)) continue;
      server_.phase = MpsServer::Phase::kEnded;
      server_.why = "process " + std::to_string(one.pid) + " of it is gone";
      server_.at = read_clock().wall;
      if (!place_.set_server(server_)) errno = 0;  // Shims see for themselves that it is gone.
      return;
    }
    // Looking through all processes is not for every time.
    if (++looks_ % 4 == 0) learn_servers();
  }

  // Until something of it dies, or a while.
  void wait() {
    std::vector<Fd> watched;
    std::vector<pollfd> polls;
    if (server_.phase == MpsServer::Phase::kReady) {
      for (const MpsProcess& one : server_.processes) {
        watched.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, one.pid, 0)));
        if (watched.back()) polls.push_back({watched.back().get(), POLLIN, 0});
      }
    }
    ::poll(polls.data(), polls.size(), kLookEveryMs);
  }

  void end_leftovers() {
    if (group_ && !leaf_is_empty(group_.get())) {
      kill_leaf(group_.get());
      wait_until_leaf_is_empty(group_.get(), 1000);
    }
    for (const MpsProcess& one : server_.processes) {
      // After a restart of the machine the same number may be somebody else's.
      if (lives(one) && uid_of(one.pid) == plan_.owner.uid) ::kill(one.pid, SIGKILL);
    }
    signal_descendants(::getpid(), SIGKILL);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }

  void stop() {
    if (server_.phase == MpsServer::Phase::kReady && !server_.processes.empty()) {
      const auto told = tell_mps_daemon(control(), "quit");
      const Boot deadline = read_clock().boot + kQuitPatience;
      while (told && read_clock().boot < deadline &&
             std::ranges::any_of(server_.processes, lives)) {
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        pause_for(std::chrono::milliseconds{10});
      }
    }
    end_leftovers();
    if (group_) {
      group_.reset();
      remove_leaf(group_path_);
    }
    const Fd above(::open(mps_directory(settings_.state_directory).c_str(),
                          O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // What cannot be removed is found by the next launcher.
    if (!above || !remove_tree(above.get(), place_.name())) errno = 0;
  }

  const ShimSettings& settings_;
  MpsPlace place_;
  MpsPlan plan_;
  MpsServer server_;
  std::vector<MpsProcess> fresh_;
  std::string group_path_;
  Fd group_;
  unsigned looks_ = 0;
};

[[noreturn]] void become_keeper(const ShimSettings& settings, const std::string& name) {
  ::prctl(PR_SET_NAME, "gpusched-mps");
  ::dup2(settings.null_fd, 2);
  ::close_range(3, ~0U, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto place = MpsPlace::open(settings.state_directory, name);
  if (!place || !place->become_keeper() || !place->is_there()) ::_exit(0);
  auto plan = place->plan();
  if (!plan) ::_exit(0);
  Keeper(settings, std::move(*place), std::move(*plan)).run();
  ::_exit(0);
}

}  // namespace

void spawn_mps_keeper(const ShimSettings& settings, const std::string& place) {
  const pid_t between = ::fork();
  if (between == 0) {
    ::setsid();
    if (::fork() == 0) become_keeper(settings, place);
    ::_exit(0);
  }
  if (between > 0) ::waitpid(between, nullptr, 0);
}

void replace_lost_keepers(const ShimSettings& settings) {
  for (const std::string& name : MpsPlace::list(settings.state_directory)) {
    const auto place = MpsPlace::open(settings.state_directory, name);
    if (place && !place->has_keeper()) spawn_mps_keeper(settings, name);
  }
}

}  // namespace gpusched
