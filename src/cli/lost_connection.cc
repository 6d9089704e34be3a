#include "cli/lost_connection.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "client/away.h"
#include "os/clock.h"

namespace gpusched::cli {
namespace {

// A lid that is closed, or a train in a tunnel.
constexpr Seconds kLostMost{600};
constexpr std::chrono::milliseconds kPauseFirst{200};

}  // namespace

LostConnection::Paused LostConnection::pause(SignalFd& signals, WaitingKeys& keys) {
  const Boot now = read_clock().boot;
  if (!since_) {
    since_ = now;
    pause_ = kPauseFirst;
  }
  if (now - *since_ > kLostMost) return {Then::kGiveUp};
  std::array<pollfd, 2> waits{{{signals.fd(), POLLIN, 0}, {keys.fd(), POLLIN, 0}}};
  const int ready = ::poll(waits.data(), waits.size(), static_cast<int>(pause_.count()));
  if (ready == 0) pause_ = pause_after(pause_);
  while (const std::optional<int> signal = signals.take()) {
    if (*signal != SIGWINCH) return {Then::kLeave, *signal};
  }
  if (keys.take()) return {Then::kLeave, 0};
  return {};
}

}  // namespace gpusched::cli
