#include "cli/lease_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <vector>

#include "cli/session.h"
#include "cli/views/views.h"
#include "jobdir/process_tree.h"
#include "os/clock.h"

namespace gpusched::cli {
namespace {

constexpr int kLeaseOver = 0;
constexpr int kNothingToDo = 1;
constexpr std::chrono::milliseconds kRetryPause{1000};
constexpr int kAskForMs = 60'000;
constexpr int kGraceMs = 10'000;

struct Watched {
  std::uint64_t lease = 0;
  pid_t pid = 0;
  std::string command;
};

Fd process_descriptor(pid_t pid) { return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

// Also once it is a zombie.
bool is_over(int process, int milliseconds) {
  pollfd one{process, POLLIN, 0};
  return ::poll(&one, 1, milliseconds) > 0;
}

// Until the lease has ended; says why. A daemon that is away is waited for.
[[noreturn]] void ask_until_over(const Client& client, const Watched& watched, int process) {
  std::string why;
  bool given_back = false;  // On request: who did that may want the command to go on.
  while (true) {
    auto body = client.call(
        {.target = fmt::format("/v1/jobs/{}/wait?timeout_ms={}", watched.lease, kAskForMs)});
    if (!body && body.error().code == ErrorCode::kNotFound) break;
    Result<WaitedView> waited = failure(ErrorCode::kUnavailable, "");
    if (body) waited = parse_waited(*body);
    if (waited && waited->done) {
      if (!waited->jobs.empty()) {
        const JobView& lease = waited->jobs.front();
        why = lease.message.empty() ? lease.state : lease.message;
        given_back = lease.state == "completed" && lease.cause == "exit";
      }
      break;
    }
    if (!waited) pause_for(kRetryPause);
  }
  if (is_over(process, 0)) ::_exit(kNothingToDo);
  if (given_back) {
    note(fmt::format("lease {} was given back; {} goes on without it", watched.lease,
                     watched.command));
    ::_exit(kNothingToDo);
  }
  note(fmt::format("lease {} has ended{}: ending {}", watched.lease,
                   why.empty() ? "" : " (" + why + ")", watched.command));
  ::_exit(kLeaseOver);
}

// It and all below it: first asked, then made to.
void end_command(const Watched& watched, int process) {
  struct Member {
    pid_t pid;
    Boot started;
  };
  std::vector<Member> members;
  const auto add = [&](pid_t pid) {
    if (const auto entry = find_process(pid)) members.push_back({pid, entry->started});
  };
  add(watched.pid);
  for (const pid_t pid : descendants_of(watched.pid)) add(pid);
  const auto signal_all = [&](int signal) {
    bool any = false;
    for (const Member& one : members) {
      const auto entry = find_process(one.pid);
      if (!entry || entry->zombie || entry->started != one.started) continue;
      any = true;
      if (signal != 0) ::kill(one.pid, signal);
    }
    return any;
  };
  signal_all(SIGTERM);
  constexpr int kLookMs = 50;
  for (int waited = 0; waited < kGraceMs && signal_all(0); waited += kLookMs) {
    if (is_over(process, kLookMs)) pause_for(std::chrono::milliseconds(kLookMs));
  }
  // Whom they have started meanwhile.
  for (const pid_t pid : descendants_of(watched.pid)) add(pid);
  signal_all(SIGKILL);
}

[[noreturn]] void watch_command(const Client& client, const Watched& watched, Fd process,
                                Fd begins) {
  // Signals of the terminal are for the command.
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  char byte = 0;
  if (::read(begins.get(), &byte, 1) != 0) ::_exit(0);
  const pid_t asker = ::fork();
  if (asker == 0) ask_until_over(client, watched, process.get());
  const Fd asks = process_descriptor(asker);
  pollfd both[2] = {{process.get(), POLLIN, 0}, {asks.get(), POLLIN, 0}};
  while (::poll(both, 2, -1) < 0 && errno == EINTR) {
  }
  if ((both[0].revents & POLLIN) != 0) {
    ::kill(asker, SIGKILL);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(asker, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kLeaseOver) end_command(watched, process.get());
  ::_exit(0);
}

}  // namespace

void LeaseWatch::call_off() {
  if (!begins_) return;
  (void)!::write(begins_.get(), "x", 1);
  begins_.reset();
}

LeaseWatch watch_lease(const Client& client, std::uint64_t lease, const std::string& command) {
  const Watched watched{lease, ::getpid(), command};
  Fd process = process_descriptor(watched.pid);
  int ends[2] = {-1, -1};
  const bool ready = process && ::pipe2(ends, O_CLOEXEC) == 0;
  Fd theirs(ends[0]);
  Fd ours(ends[1]);
  const pid_t between = ready ? ::fork() : -1;
  if (between == 0) {
    ours.reset();
    // So that it is nobody's child.
    if (::fork() != 0) ::_exit(0);
    watch_command(client, watched, std::move(process), std::move(theirs));
  }
  if (between < 0) {
    note(fmt::format("{} is not ended with lease {}: {}", command, lease, std::strerror(errno)));
    return LeaseWatch(Fd());
  }
  ::waitpid(between, nullptr, 0);
  return LeaseWatch(std::move(ours));
}

}  // namespace gpusched::cli
