#include "launcher/adopted_tree.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

namespace gpusched {

std::optional<AdoptedTree> AdoptedTree::find(const AdoptedProcess& process) {
  // First the descriptor, then the start: what is compared is who is watched.
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  if (!pidfd) return std::nullopt;
  const auto found = find_process(process.pid);
  if (!found || found->zombie || found->started != process.started) return std::nullopt;
  const auto user = user_of_process(process.pid);
  if (!user) return std::nullopt;
  return AdoptedTree(process.pid, *user, std::move(pidfd));
}

bool AdoptedTree::is_stopped() const {
  const auto found = find_process(pid_);
  return found && found->stopped;
}

std::size_t AdoptedTree::signal(int signal) {
  pollfd end{pidfd_.get(), POLLIN, 0};
  if (::poll(&end, 1, 0) > 0) return 0;  // Its number may be another's by now.
  below_.clear();
  for (const pid_t pid : descendants_of(pid_)) {
    // What runs as somebody else was not given to us with it.
    if (user_ != 0 && user_of_process(pid) != user_) continue;
    if (const auto entry = find_process(pid)) below_.push_back(*entry);
  }
  // The root first: it might start new ones, or wonder about the end of those it has.
  std::size_t reached =
      ::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0) == 0 ? 1 : 0;
  for (const ProcessEntry& entry : below_) reached += ::kill(entry.pid, signal) == 0 ? 1 : 0;
  return reached;
}

void AdoptedTree::signal_rest(int signal) const {
  for (const ProcessEntry& entry : below_) {
    const auto now = find_process(entry.pid);
    if (now && !now->zombie && now->started == entry.started) ::kill(entry.pid, signal);
  }
}

}  // namespace gpusched
