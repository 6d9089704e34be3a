// The machine runs short of something, or somebody removes what is ours: no living job is taken for
// a dead one, and none that is lost is left running.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "jobdir/process_tree.h"
#include "launch/shim_harness.h"

namespace gpusched {
namespace {

class Shortage : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!harness_.why_not().empty()) GTEST_SKIP() << harness_.why_not();
  }
  const AttemptFinished* ended(AttemptId id) {
    for (const SeamReport& report : harness_.reports()) {
      const auto* one = std::get_if<AttemptFinished>(&report);
      if (one != nullptr && one->attempt == id) return one;
    }
    return nullptr;
  }
  bool any_lost() {
    return std::ranges::any_of(harness_.reports(), [](const SeamReport& report) {
      return std::holds_alternative<SupervisorLost>(report);
    });
  }
  std::size_t started() {
    return static_cast<std::size_t>(std::ranges::count_if(
        harness_.reports(),
        [](const SeamReport& report) { return std::holds_alternative<AttemptRunning>(report); }));
  }
  ShimHarness harness_{GetParam()};
};

TEST_P(Shortage, WithoutDescriptorsNoRunningJobIsTakenForLost) {
  constexpr std::uint64_t kJobs = 6;
  ASSERT_TRUE(harness_.run_until([&] { return harness_.launcher_pid() > 0; }));
  // A first one, so that all that the daemon itself needs is open.
  harness_.launcher().launch(harness_.order({JobId{1}, 1}, CommandKind::kWaits));
  ASSERT_TRUE(harness_.run_until([&] { return started() == 1; }));
  std::vector<LaunchOrder> orders;
  for (std::uint64_t job = 2; job <= kJobs; ++job) {
    orders.push_back(harness_.order({JobId{job}, 1}, CommandKind::kWaits));
  }
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::dup(0);
  ::close(next);
  rlimit none{static_cast<rlim_t>(next), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  for (LaunchOrder& order : orders) harness_.launcher().launch(std::move(order));
  // By now nothing can be opened here, so looking is all that is left.
  const bool all_run = harness_.run_until([&] {
    for (std::uint64_t job = 1; job <= kJobs; ++job) {
      if (::access((harness_.attempt_path({JobId{job}, 1}) + "/status").c_str(), F_OK) != 0) {
        return false;
      }
    }
    return true;
  });
  int turns = 0;
  harness_.run_until([&] { return ++turns > 100; });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(all_run);
  EXPECT_FALSE(any_lost());
  ASSERT_TRUE(harness_.run_until([&] { return started() == kJobs; }));
  for (std::uint64_t job = 1; job <= kJobs; ++job) {
    harness_.finish({JobId{job}, 1}, static_cast<int>(job));
    ASSERT_TRUE(harness_.run_until([&] { return ended({JobId{job}, 1}) != nullptr; }));
    EXPECT_EQ(ended({JobId{job}, 1})->exit_code, static_cast<int>(job));
  }
  EXPECT_FALSE(any_lost());
}

TEST_P(Shortage, AShimWhoseJobDirectoryIsGoneEndsItsJobAndItself) {
  const AttemptId one{JobId{1}, 1};
  harness_.launcher().launch(harness_.order(one, CommandKind::kIgnoresTerm));
  ASSERT_TRUE(harness_.run_until([&] { return started() == 1; }));
  harness_.wait_until_ready(one);
  const int shim = harness_.shim_pid(one);
  ASSERT_GT(shim, 1);
  std::filesystem::remove_all(job_directory(harness_.state(), one.job));
  ASSERT_TRUE(harness_.run_until([&] { return ended(one) != nullptr; }));
  EXPECT_NE(ended(one)->message.find("its job directory was removed"), std::string::npos);
  EXPECT_TRUE(harness_.run_until([&] { return !find_process(shim); }));
}

TEST_P(Shortage, NobodyIsLeftWhenTheDirectoryGoesWhileNoDaemonIsThere) {
  const AttemptId one{JobId{1}, 1};
  harness_.launcher().launch(harness_.order(one, CommandKind::kWaits));
  ASSERT_TRUE(harness_.run_until([&] { return started() == 1; }));
  const int shim = harness_.shim_pid(one);
  harness_.restart();
  std::filesystem::remove_all(job_directory(harness_.state(), one.job));
  EXPECT_TRUE(harness_.run_until([&] { return !find_process(shim); }));
}

TEST_P(Shortage, TheDirectoryOfAllJobsIsMadeAgain) {
  ASSERT_TRUE(harness_.run_until([&] { return harness_.launcher_pid() > 0; }));
  const AttemptId one{JobId{1}, 1};
  harness_.launcher().launch(harness_.order(one, CommandKind::kExitsWithThree));
  ASSERT_TRUE(harness_.run_until([&] { return ended(one) != nullptr; }));
  std::filesystem::remove_all(jobs_directory(harness_.state()));
  const AttemptId two{JobId{2}, 1};
  harness_.launcher().launch(harness_.order(two, CommandKind::kExitsWithThree));
  ASSERT_TRUE(harness_.run_until([&] { return ended(two) != nullptr; }));
  EXPECT_EQ(ended(two)->cause, Cause::kExit);
  EXPECT_EQ(ended(two)->exit_code, 3);
  EXPECT_NE(harness_.read(two, "exit"), "");
}

TEST_P(Shortage, AJobThatIsOverAtOnceLeavesNoMoreLogThanItMay) {
  const AttemptId one{JobId{1}, 1};
  LaunchOrder order = harness_.shell_order(one, "head -c 3000000 /dev/zero | tr '\\0' x");
  order.command.log_limit_bytes = 64 * 1024;
  harness_.launcher().launch(std::move(order));
  ASSERT_TRUE(harness_.run_until([&] { return ended(one) != nullptr; }));
  struct stat about {};
  ASSERT_EQ(::stat((harness_.attempt_path(one) + "/log").c_str(), &about), 0);
  EXPECT_EQ(about.st_size, 3'000'000);
  EXPECT_LE(about.st_blocks * 512, 64 * 1024 + 4096);
}

INSTANTIATE_TEST_SUITE_P(Groups, Shortage, ::testing::Bool(), [](const auto& tested) {
  return tested.param ? "WithControlGroups" : "WithoutControlGroups";
});

}  // namespace
}  // namespace gpusched
