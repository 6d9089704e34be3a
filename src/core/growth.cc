#include "core/growth.h"

#include <algorithm>

namespace gpusched {
namespace {

// A rate is told from looks that lie so far apart, where they are not further apart anyway.
constexpr Microseconds kSpan{400'000};
// Nobody knows what happened in a longer gap.
constexpr Microseconds kLongestGap = Seconds{15};

}  // namespace

void Growth::add(const CardView& view) {
  const Boot now = view.at.boot;
  if (last_ && now <= *last_) return;
  if (last_ && now - *last_ > kLongestGap) {
    traces_.clear();
    last_.reset();
  }
  std::map<std::optional<AttemptId>, std::uint64_t> seen;
  std::uint64_t ours = 0;
  for (const SeenProcess& process : view.processes) {
    const std::uint64_t bytes = process.vram_bytes.value_or(0);
    if (process.attempt) ours += bytes;
    seen[process.attempt] += bytes;
  }
  const std::uint64_t used = std::max(view.used_bytes.value_or(0), ours + seen[std::nullopt]);
  seen[std::nullopt] = used - ours;
  std::erase_if(traces_, [&](const auto& entry) { return !seen.contains(entry.first); });
  for (const auto& [attempt, bytes] : seen) {
    Trace& trace = traces_[attempt];
    // It was not there at the last look.
    if (trace.empty() && last_) trace.push_back({*last_, 0});
    trace.push_back({now, bytes});
    while (trace.size() > 2 && now - trace[1].at >= kSpan) trace.erase(trace.begin());
  }
  last_ = now;
}

double Growth::of(const std::optional<AttemptId>& attempt) const {
  const auto found = traces_.find(attempt);
  if (found == traces_.end() || found->second.size() < 2) return 0;
  const Look& first = found->second.front();
  const Look& last = found->second.back();
  if (last.bytes <= first.bytes) return 0;
  const double gap = std::chrono::duration<double>(last.at - first.at).count();
  return static_cast<double>(last.bytes - first.bytes) / gap;
}

}  // namespace gpusched
