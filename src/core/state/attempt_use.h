// What attempts use of their cards, added up look by look: the raw material of accounts and of
// estimates, and what admission must know of the jobs that run: whether one still ramps up, what
// its load is, whether its memory has settled. Not stored look by look; core/apply/seen_use.h
// writes the sums down from time to time, the attempt's end takes them along.
#pragma once

#include <map>
#include <optional>

#include "core/model/card_view.h"
#include "core/model/estimate_rules.h"
#include "core/model/ids.h"
#include "core/model/job.h"
#include "core/state/recent_load.h"

namespace gpusched {

// What a job says of itself through GPUSCHED_PROGRESS.
struct Progress {
  std::uint64_t step = 0;
  std::uint64_t total = 0;  // Never 0.
  Microseconds ran{0};      // From its start to this report.
  // Its first report: an attempt that goes on from a checkpoint does not begin at zero.
  std::uint64_t first_step = 0;
  Microseconds first_ran{0};
  std::string said = {};  // Beside the numbers: "loss=0.13".
  friend bool operator==(const Progress&, const Progress&) = default;
};

// One attempt on one card, by the looks so far.
struct CardUse {
  Boot first{};  // First look that showed it there.
  Boot last{};
  std::uint64_t vram_bytes = 0;  // By the last look.
  std::uint64_t peak_vram_bytes = 0;
  std::optional<double> load_percent;  // What counts of it (recent_load.h).
  RecentLoad recent = {};
  double peak_load_percent = 0;
  // Memory has been about this much since then.
  std::uint64_t level_bytes = 0;
  Boot level_since{};

  // It counts with its full estimate. `held` is what it was given there.
  bool ramps(const CardGrant& held, const EstimateRules& rules) const;
  // Its memory has stopped growing, some time after the ramp.
  bool settled(const EstimateRules& rules) const;
  // It computes, and its memory has not grown for some seconds: it has shown what it takes.
  bool steady(const EstimateRules& rules) const;
};

class AttemptUses {
 public:
  // A new look at a card; `before` is the last one.
  void add(CardNumber card, const CardView& before, const CardView& now,
           const EstimateRules& rules);
  // What is known from elsewhere: lower bounds of the peaks.
  void add_known(AttemptId attempt, const GpuUsage& known);
  void set_progress(AttemptId attempt, Progress progress);
  // The sum so far; nullopt: it was never seen on a card.
  std::optional<GpuUsage> of(AttemptId attempt) const;
  const CardUse* on_card(AttemptId attempt, CardNumber card) const;
  std::optional<Progress> progress_of(AttemptId attempt) const;
  // Keeps only those for which `keep(attempt)` is true.
  template <class Keep>
  void prune(Keep keep) {
    std::erase_if(uses_, [&](const auto& entry) { return !keep(entry.first); });
    std::erase_if(progress_, [&](const auto& entry) { return !keep(entry.first); });
  }

 private:
  struct Sum {
    std::map<CardNumber, CardUse> cards;
    std::uint64_t peak_vram_bytes = 0;       // Of all its cards together.
    std::uint64_t peak_card_vram_bytes = 0;  // Of the fullest.
    double seconds = 0, vram_byte_seconds = 0;
    double busy_seconds = 0, busy_percent_seconds = 0;
    double active_seconds = 0, active_percent_seconds = 0;  // SM-active, where it was alone.
    std::optional<double> energy_joules;
  };
  std::map<AttemptId, Sum> uses_;
  std::map<AttemptId, Progress> progress_;
};

}  // namespace gpusched
