// The public header for jobs in C++, in a job that really runs.
#include "gpusched/checkpoint.h"

#include <gtest/gtest.h>

#include <fstream>

#include "jobdir/progress_file.h"
#include "launch/shim_harness.h"

namespace gpusched {
namespace {

const AttemptId kHeader{JobId{7}, 1};

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(CheckpointHeader, OutsideAJobEverythingIsHarmless) {
  EXPECT_FALSE(job::checkpoint_requested());
  EXPECT_EQ(job::time_remaining(), std::nullopt);
  EXPECT_EQ(job::resuming(), std::nullopt);
  EXPECT_EQ(job::checkpoint_directory(), "checkpoint");
  job::progress(1, 2);
}

TEST(CheckpointHeader, SeesTheRequestOfARealShim) {
  ShimHarness harness(false);
  harness.launcher().launch(harness.shell_order(kHeader, "echo ready; while :; do :; done"));
  ASSERT_TRUE(harness.run_until([&] { return harness.read(kHeader, "log") == "ready\n"; }));
  const Variable request("GPUSCHED_CHECKPOINT_REQUEST", harness.attempt_path(kHeader) + "/request");
  EXPECT_FALSE(job::checkpoint_requested());
  harness.launcher().ask_to_save(kHeader, {0, Seconds{600}}, Seconds{0});
  ASSERT_TRUE(harness.run_until([] { return job::checkpoint_requested(); }));
  ASSERT_TRUE(job::time_remaining().has_value());
  EXPECT_GT(*job::time_remaining(), 300);
  EXPECT_LT(*job::time_remaining(), 601);  // The request's time is rounded.
  harness.launcher().stop(kHeader, Seconds{0});
  EXPECT_TRUE(harness.run_until([&] { return harness.reports().size() == 2; }));
}

TEST(CheckpointHeader, WritesProgressAsTheDaemonReadsIt) {
  const testing::TemporaryDirectory state;
  const std::string place = checkpoint_directory(state.path(), JobId{7});
  std::filesystem::create_directories(place);
  const Variable path("GPUSCHED_PROGRESS", place + "/progress");
  job::progress(3, 10);
  const auto read = read_progress(state.path(), JobId{7}, ::geteuid());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->step, 3U);
  EXPECT_EQ(read->total, 10U);
}

TEST(CheckpointHeader, KnowsTheAttemptThatSavedAndTheDirectory) {
  const Variable resume("GPUSCHED_RESUME", "3");
  const Variable directory("GPUSCHED_CHECKPOINT_DIR", "/somewhere");
  EXPECT_EQ(job::resuming(), 3);
  EXPECT_EQ(job::checkpoint_directory(), "/somewhere");
}

TEST(CheckpointHeaderDeathTest, SavedEndsWithTheAgreedCode) {
  EXPECT_EXIT(job::saved(), ::testing::ExitedWithCode(kSavedExitCode), "");
}

TEST(CheckpointHeaderDeathTest, HearsTheSignal) {
  const auto hear = [] {
    const Variable signal("GPUSCHED_CHECKPOINT_SIGNAL", std::to_string(SIGUSR2));
    if (!job::detail::listen()) ::_exit(1);
    ::raise(SIGUSR2);
    ::_exit(job::checkpoint_requested() ? 5 : 2);
  };
  EXPECT_EXIT(hear(), ::testing::ExitedWithCode(5), "");
}

}  // namespace
}  // namespace gpusched
