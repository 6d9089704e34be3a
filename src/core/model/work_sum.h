// What was done on a day by whom, on which card and with what: sums that stay when the jobs are
// gone. All of a sum's figures can be added, so that days become months, and rows become others,
// without a figure getting wrong (docs/adr/0111).
#pragma once

#include <array>
#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/card.h"
#include "core/model/job.h"
#include "core/model/tally.h"

namespace gpusched {

// Who or what is not named, because there were too many.
inline constexpr const char* kOtherWork = "other";

struct WorkKey {
  bool month = false;  // First: days come before months.
  int day = 0;         // Of UTC since 1970; of a month its first.
  std::string tenant, user, project;
  int card = -1;      // Its number; -1: what ran on CPUs alone.
  std::string model;  // Of the card.
  std::string name;   // As it was submitted: placeholders are not filled in.
  std::string program;
  friend auto operator<=>(const WorkKey&, const WorkKey&) = default;
};

// A job on two cards is half a job of each: everything adds up.
struct WorkSums {
  double jobs = 0;      // First attempts.
  double attempts = 0;  // That are over, or run.
  double gpu_seconds = 0;
  double moves = 0, moved_bytes = 0, aside_seconds = 0;
  // Of attempts whose memory was seen: card-seconds, and bytes times these.
  double seen_seconds = 0, asked_byte_seconds = 0, peak_byte_seconds = 0, used_byte_seconds = 0;
  // Of those whose load was seen: card-seconds, and percent times these: used, and held of compute.
  double busy_seconds = 0, busy_percent_seconds = 0, share_percent_seconds = 0;
  double idle_seconds = 0;  // Compute that was held and not used.
  // Of those with a time limit: the limit, and how long they ran.
  double limit_seconds = 0, limited_seconds = 0;
  double energy_joules = 0, energy_seconds = 0;  // Card-seconds whose energy is known.
  double waited_seconds = 0;                     // Before the first start.
  Tally waits;                                   // The same, job by job (wait_bucket).
  Tally hours;                                   // GPU-seconds by hour of the day.
  Tally failures;                                // Attempts that failed, by cause.
  // Seconds that its jobs waited while cards were held by these tenants; "": by nobody.
  std::map<std::string, double> waited_for;

  void add(const WorkSums& other);
  void waited_while_held_by(const std::string& tenant, double seconds);
  friend bool operator==(const WorkSums&, const WorkSums&) = default;

  static constexpr std::size_t kWaitedForMost = 8;  // Names; the rest is kOtherWork.
};

// The plain ones of them, by the names under which they are kept.
struct WorkFigure {
  const char* name;
  double WorkSums::*where;
};
inline constexpr std::array kWorkFigures = {
    WorkFigure{"jobs", &WorkSums::jobs},
    WorkFigure{"attempts", &WorkSums::attempts},
    WorkFigure{"gpu_s", &WorkSums::gpu_seconds},
    WorkFigure{"moves", &WorkSums::moves},
    WorkFigure{"moved_b", &WorkSums::moved_bytes},
    WorkFigure{"aside_s", &WorkSums::aside_seconds},
    WorkFigure{"seen_s", &WorkSums::seen_seconds},
    WorkFigure{"asked_bs", &WorkSums::asked_byte_seconds},
    WorkFigure{"peak_bs", &WorkSums::peak_byte_seconds},
    WorkFigure{"used_bs", &WorkSums::used_byte_seconds},
    WorkFigure{"busy_s", &WorkSums::busy_seconds},
    WorkFigure{"busy_ps", &WorkSums::busy_percent_seconds},
    WorkFigure{"share_ps", &WorkSums::share_percent_seconds},
    WorkFigure{"idle_s", &WorkSums::idle_seconds},
    WorkFigure{"limit_s", &WorkSums::limit_seconds},
    WorkFigure{"limited_s", &WorkSums::limited_seconds},
    WorkFigure{"energy_j", &WorkSums::energy_joules},
    WorkFigure{"energy_s", &WorkSums::energy_seconds},
    WorkFigure{"waited_s", &WorkSums::waited_seconds},
};

struct WorkSum {
  WorkKey key;
  WorkSums sums;
  friend bool operator==(const WorkSum&, const WorkSum&) = default;
};

// All but its day and card.
WorkKey work_key_of(const Job& job);
// The day's, or the month's, on one of the attempt's cards; null: it has none.
WorkKey work_key_on(WorkKey key, int day, const CardGrant* held, const std::vector<Card>& cards);
// The month that a day belongs to, by its first day, and the first day after it.
int month_of_day(int day);
int day_after_month(int day);
Wall begin_of_day(int day);

// One attempt, as far as it lies between two moments.
struct AttemptWork {
  const Job& job;
  const Grant& grant;
  const GpuUsage* used = nullptr;  // Null: nothing was seen.
  std::optional<Wall> begin;       // Absent: its command never ran.
  Wall end{};
  double aside_seconds = 0;
  double jobs = 0;  // What it counts as.
  std::optional<Cause> failed = {};
  Wall since = Wall::min();
  Wall until = Wall::max();
};
using WorkSink = std::function<void(const WorkKey& key, const WorkSums& sums)>;
// Its parts, day by day and card by card.
void split_work(const AttemptWork& work, const std::vector<Card>& cards, const WorkSink& sink);

}  // namespace gpusched
