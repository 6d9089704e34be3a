#include "core/state/attempt_use.h"

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

bool reaches(double shown, double whole, int percent) { return shown * 100 >= whole * percent; }

void look(CardUse& use, const OnCard& seen, Boot at, const EstimateRules& rules) {
  if (use.first == Boot{}) use.first = use.level_since = at;
  use.last = at;
  use.vram_bytes = seen.vram_bytes;
  use.peak_vram_bytes = std::max(use.peak_vram_bytes, seen.vram_bytes);
  if (!reaches(static_cast<double>(use.level_bytes), static_cast<double>(seen.vram_bytes),
               100 - rules.settle_growth_percent)) {
    use.level_bytes = seen.vram_bytes;
    use.level_since = at;
  }
  if (!seen.busy_percent) return;
  use.load_percent = use.recent.add(*seen.busy_percent, at, rules.load_fall);
  use.peak_load_percent = std::max(use.peak_load_percent, *seen.busy_percent);
}

}  // namespace

bool CardUse::ramps(const CardGrant& held, const EstimateRules& rules) const {
  if (last - first >= rules.ramp) return false;
  return !reaches(static_cast<double>(peak_vram_bytes), static_cast<double>(held.vram_bytes),
                  rules.ramp_shown_percent) ||
         !reaches(peak_load_percent, held.share_percent, rules.ramp_shown_percent);
}

bool CardUse::settled(const EstimateRules& rules) const {
  const Boot since = std::max(level_since, first + rules.ramp);
  return peak_vram_bytes > 0 && last - since >= rules.settle_after;
}

bool CardUse::steady(const EstimateRules& rules) const {
  constexpr double kComputes = 1.0;
  return peak_vram_bytes > 0 && load_percent.value_or(0) >= kComputes &&
         last - level_since >= rules.sibling_settle;
}

void AttemptUses::add(CardNumber card, const CardView& before, const CardView& now,
                      const EstimateRules& rules) {
  const double gap = std::chrono::duration<double>(now.at.boot - before.at.boot).count();
  const bool joined = before.condition == CardCondition::kOk && gap > 0 && gap <= kLongestGap;
  const std::map<AttemptId, OnCard> present = attempts_on(now);
  const auto others = std::ranges::any_of(
      now.processes, [](const SeenProcess& process) { return !process.attempt; });
  const bool alone = present.size() == 1 && !others;
  for (auto& [attempt, sum] : uses_) {
    const auto there = sum.cards.find(card);
    if (there != sum.cards.end() && !present.contains(attempt)) there->second.vram_bytes = 0;
  }
  for (const auto& [attempt, use] : present) {
    Sum& sum = uses_[attempt];
    look(sum.cards[card], use, now.at.boot, rules);
    std::uint64_t together = 0;
    for (const auto& [number, on] : sum.cards) together += on.vram_bytes;
    sum.peak_vram_bytes = std::max(sum.peak_vram_bytes, together);
    sum.peak_card_vram_bytes = std::max(sum.peak_card_vram_bytes, use.vram_bytes);
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

void AttemptUses::add_known(AttemptId attempt, const GpuUsage& known) {
  Sum& sum = uses_[attempt];
  sum.peak_vram_bytes = std::max(sum.peak_vram_bytes, known.peak_vram_bytes);
  sum.peak_card_vram_bytes = std::max(sum.peak_card_vram_bytes, known.peak_card_vram_bytes);
  if (known.energy_joules) {
    sum.energy_joules = std::max(sum.energy_joules.value_or(0), *known.energy_joules);
  }
  if (known.mean_busy_percent && sum.busy_seconds == 0) {
    // As if it had been seen for a moment: what is seen from now on soon outweighs it.
    sum.busy_seconds = sum.seconds = 1;
    sum.busy_percent_seconds = *known.mean_busy_percent;
    sum.vram_byte_seconds = static_cast<double>(known.mean_vram_bytes);
  }
}

void AttemptUses::set_progress(AttemptId attempt, Progress progress) {
  const auto known = progress_.find(attempt);
  progress.first_step = known == progress_.end() ? progress.step : known->second.first_step;
  progress.first_ran = known == progress_.end() ? progress.ran : known->second.first_ran;
  progress_[attempt] = std::move(progress);
}

const CardUse* AttemptUses::on_card(AttemptId attempt, CardNumber card) const {
  const auto found = uses_.find(attempt);
  if (found == uses_.end()) return nullptr;
  const auto there = found->second.cards.find(card);
  return there == found->second.cards.end() ? nullptr : &there->second;
}

std::optional<Progress> AttemptUses::progress_of(AttemptId attempt) const {
  const auto found = progress_.find(attempt);
  return found == progress_.end() ? std::nullopt : std::optional<Progress>(found->second);
}

std::optional<GpuUsage> AttemptUses::of(AttemptId attempt) const {
  const auto found = uses_.find(attempt);
  if (found == uses_.end()) return std::nullopt;
  const Sum& sum = found->second;
  GpuUsage usage;
  usage.peak_vram_bytes = sum.peak_vram_bytes;
  usage.peak_card_vram_bytes = sum.peak_card_vram_bytes;
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
