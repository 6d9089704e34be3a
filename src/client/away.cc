#include "client/away.h"

#include <fmt/format.h>

#include <algorithm>

#include "os/clock.h"

namespace gpusched {
namespace {

// A daemon of this machine may be back at any moment.
constexpr std::chrono::milliseconds kPauseLeast{200};
constexpr std::chrono::milliseconds kPauseMost{3000};
constexpr Seconds kUntold{2};

// Many clients lose a server at the same moment, and must not come back in one.
std::chrono::milliseconds jittered(std::chrono::milliseconds pause) {
  const auto parts = read_clock().boot.time_since_epoch().count() % 50;
  return pause * (75 + parts) / 100;
}

}  // namespace

tl::unexpected<Error> daemon_lost(std::string_view what) {
  return failure(ErrorCode::kUnavailable, fmt::format("the gpusched daemon {}", what));
}

tl::unexpected<Error> daemon_silent(std::chrono::milliseconds patience) {
  return daemon_lost(fmt::format("did not answer for {} s", patience.count() / 1000));
}

bool is_away(const Error& error) { return error.code == ErrorCode::kUnavailable; }

std::chrono::milliseconds pause_after(std::chrono::milliseconds pause) {
  return std::min(pause * 5 / 4, kPauseMost);
}

bool Patience::wait_a_moment() {
  const Boot now = read_clock().boot;
  if (!waiting_) {
    waiting_ = true;
    told_ = false;
    since_ = now;
    pause_ = kPauseLeast;
  }
  if (most_.count() == 0 || now - since_ > most_ || now >= end_) return false;
  if (notice_ != nullptr && !told_ && (!far_ || now - since_ >= kUntold)) {
    told_ = true;
    notice_(far_ ? fmt::format("the server is away; trying again for up to {} s", most_.count())
                 : fmt::format("the daemon is away; waiting up to {} s for it to come back",
                               most_.count()));
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      std::min<Microseconds>(end_ - now, std::chrono::hours{1}));
  pause_for(std::min(far_ ? jittered(pause_) : pause_, left));
  if (far_) pause_ = pause_after(pause_);
  return true;
}

}  // namespace gpusched
