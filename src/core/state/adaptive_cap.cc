#include "core/state/adaptive_cap.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace gpusched {
namespace {

constexpr int kUp = 1;
constexpr int kDown = 3;
constexpr Microseconds kUpEvery = std::chrono::minutes{1};
// So that the next fall is judged by what this one did.
constexpr Microseconds kDownEvery = Seconds{10};
// After a fall it must have been quiet for so long: what helped is not undone at once.
constexpr Microseconds kQuietFor = std::chrono::minutes{5};
// Close to the bound nothing moves.
constexpr double kCalmPart = 0.5;
// How much a new measure counts against those before.
constexpr double kNewest = 0.2;

}  // namespace

AdaptiveCap first_cap(const AdaptiveRules& rules, int usual_percent, Boot now) {
  const int most = std::max(rules.least_percent, rules.most_percent);
  return {.percent = std::clamp(usual_percent, rules.least_percent, most), .moved = now};
}

AdaptiveCap moved_cap(AdaptiveCap cap, const CapEvidence& evidence, const AdaptiveRules& rules,
                      Boot now) {
  const int most = std::max(rules.least_percent, rules.most_percent);
  cap.percent = std::clamp(cap.percent, rules.least_percent, most);
  // What one job does to itself, sharing has no part in.
  if (evidence.jobs < 2) return cap;
  const bool throttled = evidence.throttled.value_or(false);
  const double slowdown = evidence.slowdown_percent.value_or(0);
  const bool slow = slowdown > rules.slowdown_percent;
  if (throttled || evidence.hot || slow) {
    if (cap.percent == rules.least_percent) return cap;
    if (cap.has_fallen && now - cap.fell < kDownEvery) return cap;
    cap.percent = std::max(rules.least_percent, cap.percent - kDown);
    cap.why = throttled      ? CapReason::kThrottled
              : evidence.hot ? CapReason::kHot
                             : CapReason::kSlowdown;
    cap.slowdown_percent = evidence.slowdown_percent;
    cap.moved = cap.fell = now;
    cap.has_fallen = true;
    return cap;
  }
  const bool calm = slowdown <= rules.slowdown_percent * kCalmPart;
  const bool quiet = !cap.has_fallen || now - cap.fell >= kQuietFor;
  if (!calm || !quiet || now - cap.moved < kUpEvery || cap.percent >= most) return cap;
  cap.percent += kUp;
  cap.why = CapReason::kRoom;
  cap.slowdown_percent.reset();
  cap.moved = now;
  return cap;
}

std::string describe(const AdaptiveCap& cap) {
  switch (cap.why) {
    case CapReason::kStart:
      return "as it began";
    case CapReason::kThrottled:
      return "lowered: heat or power held the card's clocks down while jobs shared it";
    case CapReason::kHot:
      return "lowered: the card was close to its temperature limit while jobs shared it";
    case CapReason::kSlowdown:
      return "lowered: a job went " +
             std::to_string(std::lround(cap.slowdown_percent.value_or(0))) +
             " % slower in company than alone";
    case CapReason::kRoom:
      return "raised: jobs that share the card do not suffer";
  }
  CHECK(false);
}

void PaceBook::report(AttemptId attempt, SignatureId signature, std::uint64_t step,
                      Microseconds ran, bool alone) {
  const auto [entry, fresh] = last_.try_emplace(attempt);
  Last& last = entry->second;
  const bool measured = !fresh && step > last.step && ran > last.ran && alone == last.alone;
  if (measured) {
    const double each =
        static_cast<double>((ran - last.ran).count()) / static_cast<double>(step - last.step);
    const auto known = alone_us_.find(signature);
    if (!alone) {
      last.slowdown_percent.reset();
      if (known != alone_us_.end() && known->second > 0) {
        last.slowdown_percent = 100 * (each / known->second - 1);
      }
    } else if (known != alone_us_.end()) {
      known->second += kNewest * (each - known->second);
    } else if (alone_us_.size() < kSignaturesMost) {
      alone_us_.emplace(signature, each);
    }
  }
  if (alone) last.slowdown_percent.reset();
  last.step = step;
  last.ran = ran;
  last.alone = alone;
}

std::optional<double> PaceBook::slowdown_of(AttemptId attempt) const {
  const auto found = last_.find(attempt);
  return found == last_.end() ? std::nullopt : found->second.slowdown_percent;
}

}  // namespace gpusched
