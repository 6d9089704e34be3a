// A sweep as one line: how many of its jobs are in which state. Lists fold their rows into such
// lines when they are asked to, so that 100,000 jobs of one sweep cost the reader one line.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/state/state_view.h"
#include "wire/messages/jobs.h"

namespace gpusched {

struct SweepLine {
  JobId array{};
  Counts counts = {};               // Of those of its jobs that are meant.
  JobId first{}, last{};            // Of those.
  std::optional<JobId> waits = {};  // The first that waits.
  std::vector<JobId> bad = {};      // The first ones that ended without success.
};

class SweepFold {
 public:
  // From now on only sweeps of which `ids`, ascending, has every job.
  void only_whole(const StateView& state, const std::vector<JobId>& ids);
  // True: it is one of several jobs of a sweep, and counted.
  bool take(const StateView& state, const Job& job);
  bool has(JobId array) const { return lines_.contains(array); }
  // Of sweeps of which a single job was meant: they are better shown as jobs. Forgets them.
  std::vector<JobId> take_lone();
  const std::map<JobId, SweepLine>& lines() const { return lines_; }

 private:
  std::map<JobId, SweepLine> lines_;
  std::optional<std::set<JobId>> whole_;
};

// All of it. The jobs of a large submission are counted as they get their places in the queue.
// REQUIRES: a job of it is kept.
SweepLine whole_sweep(const StateView& state, JobId array);

wire::Counts answer_of(const Counts& counts);
// Those on which its jobs run.
std::set<CardNumber> cards_of_sweep(const StateView& state, JobId array);

}  // namespace gpusched
