#include "core/state/growth.h"

#include <algorithm>

namespace gpusched {
namespace {

// A rate is told from looks that lie so far apart, where they are not further apart anyway.
constexpr Microseconds kSpan{400'000};
// Steps up that lie no further apart belong together.
constexpr Microseconds kTrendSpan{1'500'000};
// Nobody knows what happened in a longer gap.
constexpr Microseconds kLongestTraceGap = Seconds{15};

double seconds(Microseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

void Growth::add(const CardView& view) {
  const Boot now = view.at.boot;
  if (last_ && now <= *last_) return;
  if (last_ && now - *last_ > kLongestTraceGap) {
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
    while (trace.size() > 3 && now - trace[1].at >= kTrendSpan) trace.erase(trace.begin());
  }
  last_ = now;
}

double Growth::recent(const Trace& trace) {
  const Look& last = trace.back();
  std::size_t first = trace.size() - 2;
  while (first > 0 && last.at - trace[first].at < kSpan) --first;
  if (last.bytes <= trace[first].bytes) return 0;
  return static_cast<double>(last.bytes - trace[first].bytes) / seconds(last.at - trace[first].at);
}

double Growth::of(const std::optional<AttemptId>& attempt) const {
  const auto found = traces_.find(attempt);
  return found == traces_.end() || found->second.size() < 2 ? 0 : recent(found->second);
}

double Growth::trend_of(const std::optional<AttemptId>& attempt) const {
  const auto found = traces_.find(attempt);
  if (found == traces_.end() || found->second.size() < 3) return 0;
  const Trace& trace = found->second;
  const Look& last = trace.back();
  // From each look on: what was added besides the largest step, in the time without it.
  double most = 0;
  double largest = 0;
  double its_time = 0;
  for (std::size_t first = trace.size() - 1; first-- > 0;) {
    const double step =
        static_cast<double>(trace[first + 1].bytes) - static_cast<double>(trace[first].bytes);
    const double time = seconds(trace[first + 1].at - trace[first].at);
    if (step > largest) {
      largest = step;
      its_time = time;
    }
    const double others =
        static_cast<double>(last.bytes) - static_cast<double>(trace[first].bytes) - largest;
    const double rest = seconds(last.at - trace[first].at) - its_time;
    if (rest > 0) most = std::max(most, others / rest);
  }
  return std::min(most, recent(trace));
}

}  // namespace gpusched
