#include "sim/workload.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

MachineDescription two_cards() {
  MachineDescription machine_description;
  machine_description.cards = machine(2, 24).cards();
  machine_description.host = {8, 64 * kGiB};
  return machine_description;
}

TEST(Workload, ReplaysThroughTheSameCore) {
  const auto workload = parse_workload(
      "submit_s,gpus,duration_s\n"
      "0,2,100\n"
      "10,1,50\n"
      "# a remark\n"
      "10,1,50\n"
      "10,1,50\n");
  ASSERT_TRUE(workload.has_value());
  const auto result = simulate(*workload, two_cards());
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->jobs, 4u);
  EXPECT_DOUBLE_EQ(result->makespan_s, 200);
  EXPECT_DOUBLE_EQ(result->average_completion_s, (100 + 140 + 140 + 190) / 4.0);
  EXPECT_DOUBLE_EQ(result->longest_wait_s, 140);
  EXPECT_NEAR(result->card_use_percent, 100.0 * (200 + 150) / 400, 1e-9);
}

TEST(Workload, SharesCardsByDeclaredMemory) {
  const auto workload = parse_workload("submit_s,vram,duration_s\n0,8G,60\n0,8G,60\n0,8G,60\n");
  const auto result = simulate(*workload, two_cards());
  EXPECT_DOUBLE_EQ(result->makespan_s, 60);
}

TEST(Workload, ATimeLimitEndsAJob) {
  const auto workload = parse_workload("submit_s,duration_s,time_limit_s\n0,100,30\n");
  const auto result = simulate(*workload, two_cards());
  EXPECT_EQ(result->timed_out, 1u);
  EXPECT_DOUBLE_EQ(result->makespan_s, 30);
}

TEST(Workload, SaysWhichLineIsWrong) {
  EXPECT_EQ(parse_workload("submit_s,duration_s\n0,x\n").error().message,
            "line 2: 'x' is not a number of zero or more");
  EXPECT_EQ(parse_workload("submit_s,duration_s\n0\n").error().message,
            "line 2: 1 cells where the first line has 2");
  EXPECT_EQ(parse_workload("submit_s,colour\n").error().message,
            "line 1: there is no column 'colour'");
  EXPECT_EQ(parse_workload("submit_s\n0\n").error().message,
            "line 1: the columns submit_s and duration_s are needed");
  EXPECT_EQ(parse_workload("").error().message, "the workload has no jobs");
}

TEST(Workload, AJobThatCanNeverRunIsSaidByItsNumber) {
  const auto workload = parse_workload("submit_s,gpus,duration_s\n0,3,1\n");
  EXPECT_EQ(simulate(*workload, two_cards()).error().message.substr(0, 22),
            "job 1 of the workload:");
}

}  // namespace
}  // namespace gpusched::testing
