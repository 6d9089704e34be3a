#include "cli/signal_fd.h"

#include <sys/signalfd.h>

#include <csignal>
#include <vector>

namespace gpusched::cli {
namespace {

sigset_t set_of(const std::vector<int>& signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

}  // namespace

SignalFd::SignalFd(std::initializer_list<int> signals) : signals_(signals) {
  const sigset_t set = set_of(signals_);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalFd::~SignalFd() {
  const sigset_t set = set_of(signals_);
  while (take()) {
  }
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

std::optional<int> SignalFd::take() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) {
    return std::nullopt;
  }
  return static_cast<int>(info.ssi_signo);
}

}  // namespace gpusched::cli
