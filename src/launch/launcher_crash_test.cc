// Everything that may be killed is killed, at random points: nothing runs twice, no exit code is
// lost, nothing is left running.
#include <gtest/gtest.h>
#include <algorithm>

#include <filesystem>
#include <map>
#include <random>

#include "jobdir/process_tree.h"
#include "launch/shim_harness.h"

namespace gpusched {
namespace {

class Crashing : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!harness_.why_not().empty()) GTEST_SKIP() << harness_.why_not();
  }
  const SeamReport* final_of(AttemptId id) {
    for (const SeamReport& report : harness_.reports()) {
      if (attempt_of(report) == id && is_final(report)) return &report;
    }
    return nullptr;
  }
  void turn_the_loop(int times) {
    int left = times;
    harness_.run_until([&] { return left-- <= 0; });
  }
  // Each run of a command leaves one line; its exit code is the job's number.
  LaunchOrder counting_order(AttemptId id) {
    return harness_.shell_order(
        id, "echo run >> " + runs(id) + "; exit " + std::to_string(number_of(id.job) % 100));
  }
  std::string runs(AttemptId id) { return harness_.state() + "/runs." + to_string(id); }
  long times_run(AttemptId id) {
    std::ifstream file(runs(id));
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  }
  void expect_honest(AttemptId id) {
    const SeamReport* report = final_of(id);
    ASSERT_NE(report, nullptr) << to_string(id);
    if (const auto* ended = std::get_if<AttemptFinished>(report)) {
      EXPECT_EQ(times_run(id), 1) << to_string(id);
      EXPECT_EQ(ended->exit_code, static_cast<int>(number_of(id.job) % 100)) << to_string(id);
    } else {
      EXPECT_TRUE(std::holds_alternative<AttemptNeverRan>(*report)) << to_string(id);
      EXPECT_EQ(times_run(id), 0) << to_string(id);
    }
  }
  ShimHarness harness_{GetParam()};
};

TEST_P(Crashing, AKilledLauncherIsReplacedAndNothingRunsTwice) {
  std::mt19937 random(7);
  std::uint64_t job = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<AttemptId> asked;
    for (int i = 0; i < 5; ++i) {
      asked.push_back({JobId{++job}, 1});
      harness_.launcher().launch(counting_order(asked.back()));
    }
    turn_the_loop(static_cast<int>(random() % 8));
    if (const int pid = harness_.launcher_pid(); pid > 0) ::kill(pid, SIGKILL);
    ASSERT_TRUE(harness_.run_until([&] {
      return std::all_of(asked.begin(), asked.end(),
                         [&](AttemptId id) { return final_of(id) != nullptr; });
    })) << "round "
        << round;
    for (const AttemptId id : asked) expect_honest(id);
  }
  EXPECT_FALSE(harness_.complaints().empty()) << "twenty deaths are worth a word";
}

TEST_P(Crashing, ADaemonThatDiesAtAnyPointFindsOutWhatHappened) {
  std::mt19937 random(11);
  std::uint64_t job = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<AttemptId> asked;
    for (int i = 0; i < 5; ++i) {
      asked.push_back({JobId{++job}, 1});
      harness_.launcher().launch(counting_order(asked.back()));
    }
    turn_the_loop(static_cast<int>(random() % 8));
    harness_.restart();
    for (const AttemptId id : asked) {
      if (final_of(id) == nullptr) harness_.launcher().reattach(id);
    }
    ASSERT_TRUE(harness_.run_until([&] {
      return std::all_of(asked.begin(), asked.end(),
                         [&](AttemptId id) { return final_of(id) != nullptr; });
    })) << "round "
        << round;
    for (const AttemptId id : asked) expect_honest(id);
  }
}

TEST_P(Crashing, AShimKilledAtAnyPointLeavesNothingRunning) {
  std::mt19937 random(13);
  for (std::uint64_t job = 1; job <= 12; ++job) {
    const AttemptId id{JobId{job}, 1};
    // A tree with a member in a session of its own.
    ::mkfifo(harness_.fifo(id).c_str(), 0600);
    const std::string stuck = "cat " + harness_.fifo(id) + " & ";
    harness_.launcher().launch(harness_.shell_order(id, stuck + "setsid " + stuck + "wait"));
    turn_the_loop(static_cast<int>(random() % 6));
    ASSERT_TRUE(harness_.run_until([&] { return harness_.shim_pid(id) > 0; }));
    ::kill(harness_.shim_pid(id), SIGKILL);
    ASSERT_TRUE(harness_.run_until([&] { return final_of(id) != nullptr; })) << job;
    EXPECT_TRUE(std::holds_alternative<SupervisorLost>(*final_of(id)));
    const LostTree tree{id, checkpoint_directory(harness_.state(), id.job), 0, Boot{}};
    EXPECT_TRUE(find_lost_tree(tree).empty()) << job;
  }
}

TEST_P(Crashing, ALateShimFindsTheClaimTakenAndDoesNotRun) {
  const AttemptId id{JobId{1}, 1};
  harness_.launcher().reattach(id);
  ASSERT_TRUE(harness_.run_until([&] { return final_of(id) != nullptr; }));
  // The same attempt arrives after all, as from a launcher that was slow.
  const std::size_t before = harness_.reports().size();
  harness_.launcher().launch(counting_order(id));
  ASSERT_TRUE(harness_.run_until([&] { return harness_.reports().size() > before; }));
  EXPECT_TRUE(std::holds_alternative<AttemptNeverRan>(harness_.reports().back()));
  EXPECT_EQ(times_run(id), 0);
}

TEST_P(Crashing, ForgettingRemovesTheDirectory) {
  std::vector<AttemptId> ids;
  for (std::uint64_t job = 1; job <= 5; ++job) {
    ids.push_back({JobId{job}, 1});
    harness_.launcher().launch(counting_order(ids.back()));
  }
  for (const AttemptId id : ids) {
    ASSERT_TRUE(harness_.run_until([&] { return final_of(id) != nullptr; }));
    harness_.launcher().forget(id.job);
  }
  EXPECT_TRUE(harness_.run_until([&] {
    return std::ranges::none_of(ids, [&](AttemptId id) {
      return std::filesystem::exists(job_directory(harness_.state(), id.job));
    });
  }));
}

TEST_P(Crashing, AnAttemptOfAnEarlierBootIsLostWithoutTouchingAnyProcess) {
  const AttemptId id{JobId{1}, 1};
  const std::string jobs = jobs_directory(harness_.state());
  ASSERT_TRUE(harness_.run_until([&] { return std::filesystem::exists(jobs); }));
  const Fd directory(::open(jobs.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto attempt = make_attempt(directory.get(), id);
  ASSERT_TRUE(attempt);
  ASSERT_TRUE(try_claim(attempt->get(), {true, ::getpid(), "another boot", ""}));
  // The number of a process that is very much alive today: this one.
  const StatusRecord status{::getpid(), Wall{}, Boot{}, "another boot", {}, {}};
  ASSERT_TRUE(replace_file(attempt->get(), "status", write_status(status), 0644));
  harness_.launcher().reattach(id);
  ASSERT_TRUE(harness_.run_until([&] { return final_of(id) != nullptr; }));
  EXPECT_TRUE(std::holds_alternative<SupervisorLost>(*final_of(id)));
}

INSTANTIATE_TEST_SUITE_P(Groups, Crashing, ::testing::Bool(), [](const auto& tested) {
  return std::string(tested.param ? "WithCgroup" : "WithoutCgroup");
});

}  // namespace
}  // namespace gpusched
