// What a report of the sampler means for the history: the card's figures beside what was handed out
// of it, and what each attempt uses on all its cards together. Pure: belongs to the loop's thread,
// and remembers of each card only who was seen on it last.
#pragma once

#include <map>
#include <optional>

#include "core/state/state_view.h"
#include "history/series.h"
#include "watch/report.h"

namespace gpusched::history {

class Feed {
 public:
  // Everything that the sampler says may come in here; most of it means no point.
  Points take(const watch::Report& report, const StateView& state);

 private:
  // An attempt's point comes with the sample of its first card, so that there is one a period.
  Points points_of(const watch::SampleReport& report, const StateView& state);

  struct Use {
    std::optional<std::uint64_t> vram_bytes = 0;
    std::optional<double> busy_percent = 0;
  };
  using Users = std::map<AttemptId, Use>;

  static Users users_of(const std::vector<watch::WatchedProcess>& processes);
  std::optional<JobPoint> job_point(const Job& job, CardNumber card, Wall at) const;

  // Cards whose processes are known.
  std::map<CardNumber, Users> seen_;
};

}  // namespace gpusched::history
