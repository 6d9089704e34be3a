#include "client/away.h"

#include <fmt/format.h>

#include <algorithm>

#include "os/clock.h"

namespace gpusched {
namespace {

constexpr Seconds kAwayMost{30};
// A daemon of this machine may be back at any moment.
constexpr std::chrono::milliseconds kPauseLeast{200};
constexpr std::chrono::milliseconds kPauseMost{3000};

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
    since_ = now;
    pause_ = kPauseLeast;
    if (notice_ != nullptr) notice_("the daemon is away; waiting up to 30 s for it to come back");
  }
  if (now - since_ > kAwayMost) return false;
  pause_for(pause_);
  if (far_) pause_ = pause_after(pause_);
  return true;
}

}  // namespace gpusched
