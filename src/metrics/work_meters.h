// What becomes of jobs, counted from what is committed: how long they wait, start and run, how they
// end, how they are moved. It belongs to this process's life and is kept nowhere.
//
// A commit is read before it goes to the store (steps_of) and counted when it is on disk (count):
// what was undone never happened.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/group.h"
#include "core/state/durable.h"
#include "core/state/state_view.h"
#include "metrics/exposition.h"
#include "metrics/tenant_seconds.h"

namespace gpusched::metrics {

// Where a job is, as far as it matters here.
enum class JobPlace : std::uint8_t { kWaits, kStarts, kRuns, kLeaves, kAway, kReturns, kEnded };

// What a commit says of one job.
struct JobStep {
  JobId job{};
  int attempt = 0;
  JobPlace place = JobPlace::kWaits;
  // Of one that leaves, is away or returns; of one that runs: it is asked to end for others.
  std::optional<Mechanism> mechanism = {};
  bool decided = false;  // By us, not by hand.
  bool still = false;    // Stopped for a moment only.
  std::uint64_t bytes = 0;
  bool lease = false;
  bool adopted = false;
  bool ends_now = false;  // Ended, and not before.
  Outcome outcome = Outcome::kCompleted;
  std::optional<Cause> cause = {};  // Of a failure.
  Wall submitted_at{};
  std::optional<Wall> decided_at = {};  // To start it.
  std::optional<Wall> started_at = {};
  std::optional<Microseconds> ran = {};
  std::string tenant = {};
  std::int64_t cards = 0;
};

class WorkMeters {
 public:
  WorkMeters();

  // Jobs that are active when we begin are followed from here on.
  void begin_with(const StateView& state, Now now);
  std::vector<JobStep> steps_of(const Delta<Job>& jobs, const std::vector<TrailEntry>& trail) const;
  void count(const std::vector<JobStep>& steps, Now now);

  void write(Exposition& out) const;
  void write_tenants(Exposition& out, Now now) const;

 private:
  enum class Result : std::uint8_t { kDone, kFailed, kEnded };
  struct Move {
    Mechanism mechanism = Mechanism::kFreeze;
    bool out = true;
    Boot since{};
  };
  // Of an active job.
  struct Known {
    int attempt = 0;
    JobPlace place = JobPlace::kStarts;
    std::optional<Wall> decided_at;  // To start it; unset: its start was seen to.
    std::optional<Move> move;        // Under way.
    std::uint64_t bytes = 0;         // Away from its cards.
    std::string tenant;
    std::int64_t cards = 0;  // That count for its tenant now.
  };
  // Of commands or of leases.
  struct Times {
    Histogram wait{kLongBounds}, start{kStartBounds}, run{kLongBounds};
  };
  using MoveKey = std::pair<Mechanism, bool>;  // And whether out.

  void count(const JobStep& step, Now now);
  void begin_attempt(const JobStep& step, Known& known, Now now);
  void follow(const JobStep& step, Known& known, Now now);
  void see_start(const JobStep& step, Known& known);
  void end_attempt(const JobStep& step, Known& known, Now now);
  void begin_move(const JobStep& step, Known& known, bool out, Now now);
  void end_move(Known& known, Result result, Now now);
  void hold_cards(Known& known, std::int64_t cards, Now now);
  void write_moves(Exposition& out) const;

  std::unordered_map<JobId, Known> known_;
  std::array<Times, 2> times_;
  std::map<std::pair<Outcome, std::optional<Cause>>, std::uint64_t> ended_;
  std::uint64_t requeued_ = 0;
  std::uint64_t starts_ = 0, moves_aside_ = 0, returns_ = 0, stops_ = 0;  // Decided.
  std::map<std::pair<MoveKey, Result>, std::uint64_t> moves_;
  std::map<MoveKey, Histogram> move_times_;
  std::array<std::uint64_t, 2> moved_bytes_{};  // Out, back.
  TenantSeconds seconds_;
};

}  // namespace gpusched::metrics
