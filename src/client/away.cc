#include "client/away.h"

#include <fmt/format.h>

#include "os/clock.h"

namespace gpusched {
namespace {

constexpr Seconds kAwayMost{30};
constexpr std::chrono::milliseconds kBetweenTries{200};

}  // namespace

tl::unexpected<Error> daemon_lost(std::string_view what) {
  return failure(ErrorCode::kUnavailable, fmt::format("the gpusched daemon {}", what));
}

tl::unexpected<Error> daemon_silent(std::chrono::milliseconds patience) {
  return daemon_lost(fmt::format("did not answer for {} s", patience.count() / 1000));
}

bool is_away(const Error& error) { return error.code == ErrorCode::kUnavailable; }

bool Patience::wait_a_moment() {
  const Boot now = read_clock().boot;
  if (!waiting_) {
    waiting_ = true;
    since_ = now;
    if (notice_ != nullptr) notice_("the daemon is away; waiting up to 30 s for it to come back");
  }
  if (now - since_ > kAwayMost) return false;
  pause_for(kBetweenTries);
  return true;
}

}  // namespace gpusched
