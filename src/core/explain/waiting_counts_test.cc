#include "core/explain/waiting_counts.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/explain/explain.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

// What the first reason that is told of a job is counted as.
WaitsFor counted_as(ReasonCode code) {
  switch (code) {
    case ReasonCode::kHeld:
    case ReasonCode::kCrashGuard:
      return WaitsFor::kRelease;
    case ReasonCode::kDependency:
    case ReasonCode::kBegin:
    case ReasonCode::kRetry:
      return WaitsFor::kTimeOrJobs;
    case ReasonCode::kMachineLimit:
    case ReasonCode::kGroupLimit:
    case ReasonCode::kGroupPaused:
    case ReasonCode::kArrayLimit:
      return WaitsFor::kLimit;
    case ReasonCode::kTenantQuota:
      return WaitsFor::kQuota;
    case ReasonCode::kDiskFull:
      return WaitsFor::kDisk;
    case ReasonCode::kNoSuchCard:
    case ReasonCode::kCards:
    case ReasonCode::kCpus:
    case ReasonCode::kRam:
    case ReasonCode::kCardsReserved:
    case ReasonCode::kReserved:
    case ReasonCode::kKept:
    case ReasonCode::kSlowPair:
    case ReasonCode::kMakingRoom:
    case ReasonCode::kRoomLater:
    case ReasonCode::kMovedAside:
    case ReasonCode::kStandsStill:
    case ReasonCode::kPaused:
    case ReasonCode::kVramLimit:
    case ReasonCode::kNext:
      break;
  }
  return WaitsFor::kRoom;
}

// One job of each kind that waits, and one that runs.
State a_queue() {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().submit(state, at_second(1));
  ask().vram(8).submit(state, at_second(2));
  ask().hold().submit(state, at_second(0));
  ask().after(1).submit(state, at_second(0));
  ask().begin(at_second(600).wall).submit(state, at_second(0));
  apply(state, GroupSetAsked{ourselves(), "shared/full", 1}, at_second(0));
  ask().gpus(0).array(5, 1).submit(state, at_second(3));
  start_what_fits(state, at_second(3));
  return state;
}

TEST(WaitingCounts, SayWhatEachJobIsToldFirst) {
  const State state = a_queue();
  const WaitingCounts counts = count_waiting(state, at_second(10));
  WaitingCounts told;
  for (const auto& [id, job] : state.jobs()) {
    const auto reasons = why_waiting(state, job, at_second(10));
    if (!reasons.empty()) ++told.of(counted_as(reasons.front().code));
  }
  EXPECT_EQ(counts.jobs, told.jobs);
  EXPECT_EQ(counts.of(WaitsFor::kRelease), 1U);
  EXPECT_EQ(counts.of(WaitsFor::kTimeOrJobs), 2U);
  EXPECT_EQ(counts.of(WaitsFor::kLimit), 4U) << "of the array";
  EXPECT_EQ(counts.of(WaitsFor::kRoom), 2U);
  EXPECT_EQ(std::accumulate(counts.jobs.begin(), counts.jobs.end(), std::uint64_t{0}),
            state.counts().waiting());
}

TEST(WaitingCounts, KnowTheOldestOfAllPriorities) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  EXPECT_FALSE(count_waiting(state, at_second(1)).oldest);
  for (int i = 0; i < 20; ++i) {
    ask().priority(i == 7 ? 20 : 50 + i).submit(state, at_second(100 - (i == 7 ? 50 : i)));
  }
  ask().hold().submit(state, at_second(1));
  EXPECT_EQ(count_waiting(state, at_second(200)).oldest, at_second(50).wall);
}

TEST(WaitingCounts, LookAtABoundedNumberOfShapes) {
  State state = machine(1, 24);
  for (std::uint64_t gib = 1; gib <= 20; ++gib) ask().vram(gib).submit(state, at_second(0));
  const WaitingCounts counts = count_waiting(state, at_second(1), 5);
  EXPECT_EQ(counts.of(WaitsFor::kRoom), 5U);
  EXPECT_EQ(counts.of(WaitsFor::kUnlooked), 15U);
}

}  // namespace
}  // namespace gpusched::testing
