#include "cli/waiting_keys.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace gpusched::cli {
namespace {

// As much as a terminal itself keeps; what is typed beyond it is lost there, too.
constexpr std::size_t kTypedMost = 4096;

// In the background the terminal is somebody else's, and touching it would stop this program.
bool in_foreground() { return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

}  // namespace

void WaitingKeys::watch() {
  if (terminal_ || gone_ || !is_terminal(STDIN_FILENO) || !in_foreground()) return;
  terminal_.emplace(STDIN_FILENO, RawTerminal::Signals::kWork);
}

int WaitingKeys::fd() const { return terminal_ && in_foreground() ? STDIN_FILENO : -1; }

bool WaitingKeys::take() {
  pollfd ready{fd(), POLLIN, 0};
  if (ready.fd < 0 || ::poll(&ready, 1, 0) <= 0) return false;
  std::array<char, 1024> bytes{};
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (got <= 0) {  // The terminal is gone; a signal says so.
    gone_ = true;
    stop();
    return false;
  }
  const DetachKeys::Typed now = keys.feed({bytes.data(), static_cast<std::size_t>(got)});
  typed.append(now.passed, 0, kTypedMost - std::min(kTypedMost, typed.size()));
  return now.detach;
}

}  // namespace gpusched::cli
