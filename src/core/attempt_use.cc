#include "core/attempt_use.h"

#include <algorithm>

namespace gpusched {
namespace {

// Longer gaps are not filled in: nobody knows what happened meanwhile.
constexpr double kLongestGap = 15.0;

struct OnCard {
  std::uint64_t vram_bytes = 0;
  std::optional<double> busy_percent;
};

std::map<AttemptId, OnCard> attempts_on(const CardView& view) {
  std::map<AttemptId, OnCard> found;
  for (const SeenProcess& process : view.processes) {
    if (!process.attempt) continue;
    OnCard& sum = found[*process.attempt];
    sum.vram_bytes += process.vram_bytes.value_or(0);
    if (process.load_percent) {
      sum.busy_percent = sum.busy_percent.value_or(0) + *process.load_percent;
    }
  }
  return found;
}

}  // namespace

void AttemptUses::add(CardNumber card, const CardView& before, const CardView& now) {
  const double gap = std::chrono::duration<double>(now.at.boot - before.at.boot).count();
  const bool joined = before.condition == CardCondition::kOk && gap > 0 && gap <= kLongestGap;
  const std::map<AttemptId, OnCard> present = attempts_on(now);
  const auto others = std::ranges::any_of(
      now.processes, [](const SeenProcess& process) { return !process.attempt; });
  const bool alone = present.size() == 1 && !others;
  for (auto& [attempt, sum] : uses_) {
    if (!present.contains(attempt)) sum.now.erase(card);
  }
  for (const auto& [attempt, use] : present) {
    Sum& sum = uses_[attempt];
    sum.now[card] = use.vram_bytes;
    std::uint64_t together = 0;
    for (const auto& [number, bytes] : sum.now) together += bytes;
    sum.peak_vram_bytes = std::max(sum.peak_vram_bytes, together);
    if (!joined) continue;
    sum.seconds += gap;
    sum.vram_byte_seconds += static_cast<double>(use.vram_bytes) * gap;
    if (use.busy_percent) {
      sum.busy_seconds += gap;
      sum.busy_percent_seconds += *use.busy_percent * gap;
    }
    if (alone && now.sm_active_percent) {
      sum.active_seconds += gap;
      sum.active_percent_seconds += *now.sm_active_percent * gap;
    }
    // Shared energy cannot be told apart: each gets an equal part.
    if (now.energy_joules && before.energy_joules && *now.energy_joules >= *before.energy_joules) {
      sum.energy_joules =
          sum.energy_joules.value_or(0) +
          (*now.energy_joules - *before.energy_joules) / static_cast<double>(present.size());
    }
  }
}

std::optional<GpuUsage> AttemptUses::of(AttemptId attempt) const {
  const auto found = uses_.find(attempt);
  if (found == uses_.end()) return std::nullopt;
  const Sum& sum = found->second;
  GpuUsage usage;
  usage.peak_vram_bytes = sum.peak_vram_bytes;
  if (sum.seconds > 0) {
    usage.mean_vram_bytes = static_cast<std::uint64_t>(sum.vram_byte_seconds / sum.seconds);
  }
  if (sum.busy_seconds > 0) usage.mean_busy_percent = sum.busy_percent_seconds / sum.busy_seconds;
  if (sum.active_seconds > 0) {
    usage.mean_sm_active_percent = sum.active_percent_seconds / sum.active_seconds;
  }
  usage.energy_joules = sum.energy_joules;
  return usage;
}

}  // namespace gpusched
