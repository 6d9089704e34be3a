// A job is asked to save itself: who hears the signal, what the file says, and what follows.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sstream>

#include "launch/shim_harness.h"
#include "os/clock.h"

namespace gpusched {
namespace {

const AttemptId kSaving{JobId{1}, 1};

class Save : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!harness_.why_not().empty()) GTEST_SKIP() << harness_.why_not();
    ::mkfifo(harness_.fifo(kSaving).c_str(), 0600);
  }
  const AttemptFinished* ended() {
    for (const SeamReport& report : harness_.reports()) {
      if (const auto* one = std::get_if<AttemptFinished>(&report)) return one;
    }
    return nullptr;
  }
  std::string log() { return harness_.read(kSaving, "log"); }
  void launch(const std::string& script) {
    harness_.launcher().launch(harness_.shell_order(kSaving, script));
  }
  bool run_until_log_has(const std::string& text) {
    return harness_.run_until([&] { return log().find(text) != std::string::npos; });
  }
  void ask_to_save(Seconds grace = Seconds{60}, int signal = SIGUSR1) {
    harness_.launcher().ask_to_save(kSaving, {signal, grace}, Seconds{0});
  }
  bool run_until_ended() {
    return harness_.run_until([&] { return ended() != nullptr; });
  }
  std::string wait() { return "read code < " + harness_.fifo(kSaving); }
  ShimHarness harness_{GetParam()};
};

TEST_P(Save, AShellWithATrapHearsItAndItsChildrenDoNot) {
  launch("trap 'echo saving; exit 75' USR1; (trap 'echo child' USR1; echo ready; " + wait() +
         ") & wait");
  ASSERT_TRUE(run_until_log_has("ready"));
  ask_to_save();
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->exit_code, kSavedExitCode);
  EXPECT_EQ(log(), "ready\nsaving\n");
}

TEST_P(Save, BehindAShellWithoutATrapTheProgramHearsItAndTheShellLives) {
  launch(
      "sh -c \"trap 'echo saving; exit 75' USR1; echo ready; while :; do :; done\"; echo after; "
      "exit 75");
  ASSERT_TRUE(run_until_log_has("ready"));
  ask_to_save();
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->exit_code, kSavedExitCode);
  EXPECT_EQ(log(), "ready\nsaving\nafter\n");
}

TEST_P(Save, WhoIsNotReadyYetHearsItLater) {
  launch("echo here; " + wait() + "; trap 'echo saving; exit 75' USR1; while :; do :; done");
  ASSERT_TRUE(run_until_log_has("here"));
  ask_to_save();
  ASSERT_TRUE(harness_.run_until([&] { return !harness_.read(kSaving, "request").empty(); }));
  harness_.finish(kSaving, 0);
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->exit_code, kSavedExitCode);
}

TEST_P(Save, TheRequestSaysUntilWhen) {
  launch("trap 'echo saving' USR1; echo ready; while :; do " + wait() + "; done");
  ASSERT_TRUE(run_until_log_has("ready"));
  const Now before = read_clock();
  ask_to_save(Seconds{60});
  ASSERT_TRUE(run_until_log_has("saving"));
  std::istringstream request(harness_.read(kSaving, "request"));
  double wall = 0;
  double boot = 0;
  request >> wall >> boot;
  const auto in_seconds = [](Microseconds time) { return static_cast<double>(time.count()) / 1e6; };
  EXPECT_NEAR(wall, in_seconds(before.wall.time_since_epoch()) + 60, 30);
  EXPECT_NEAR(boot, in_seconds(before.boot.time_since_epoch()) + 60, 30);
  struct stat about {};
  ASSERT_EQ(::stat((harness_.attempt_path(kSaving) + "/request").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0644U);
  harness_.launcher().stop(kSaving, Seconds{0});
  ASSERT_TRUE(run_until_ended());
}

TEST_P(Save, WithoutASignalTheFileAloneTells) {
  const std::string request = harness_.attempt_path(kSaving) + "/request";
  launch("trap 'exit 1' USR1; echo ready; while [ ! -e " + request + " ]; do :; done; exit 75");
  ASSERT_TRUE(run_until_log_has("ready"));
  ask_to_save(Seconds{60}, 0);
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->exit_code, kSavedExitCode);
}

TEST_P(Save, WhoIsSlowIsTerminatedThenKilled) {
  launch("trap 'echo saving' USR1; trap 'echo term' TERM; echo ready; while :; do :; done");
  ASSERT_TRUE(run_until_log_has("ready"));
  harness_.launcher().ask_to_save(kSaving, {SIGUSR1, Seconds{1}}, Seconds{1});
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->signal, SIGKILL);
  EXPECT_EQ(ended()->cause, Cause::kSignal);
  EXPECT_EQ(log(), "ready\nsaving\nterm\n");
}

TEST_P(Save, AStopMeanwhileIsSooner) {
  launch("trap 'echo saving' USR1; echo ready; while :; do :; done");
  ASSERT_TRUE(run_until_log_has("ready"));
  ask_to_save(Seconds{600});
  ASSERT_TRUE(run_until_log_has("saving"));
  harness_.launcher().stop(kSaving, Seconds{60});
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->signal, SIGTERM);
}

TEST_P(Save, WhatIsFrozenIsThawed) {
  launch("trap 'exit 75' USR1; echo ready; while :; do :; done");
  ASSERT_TRUE(run_until_log_has("ready"));
  auto client = ControlClient::connect(harness_.attempt_path(kSaving));
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->ask(PauseCommand{}));
  ask_to_save();
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->exit_code, kSavedExitCode);
}

TEST_P(Save, TheShimKeepsTheTimeAlsoWithoutADaemon) {
  launch("echo ready; while :; do :; done");
  ASSERT_TRUE(run_until_log_has("ready"));
  ask_to_save(Seconds{1});
  ASSERT_TRUE(harness_.run_until([&] { return !harness_.read(kSaving, "request").empty(); }));
  harness_.restart();
  harness_.launcher().reattach(kSaving);
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(ended()->signal, SIGTERM);
}

TEST_P(Save, NothingOfAnOuterJobIsHandedOn) {
  LaunchOrder order = harness_.shell_order(kSaving, "env");
  auto environment = std::make_shared<Environment>();
  environment->variables = {"PATH=/usr/bin:/bin", "GPUSCHED_RESUME=3", "GPUSCHED_GRACE=60",
                            "GPUSCHED_SOCKET=/s"};
  order.command.environment = environment;
  harness_.launcher().launch(std::move(order));
  ASSERT_TRUE(run_until_ended());
  EXPECT_EQ(log().find("GPUSCHED_RESUME"), std::string::npos);
  EXPECT_EQ(log().find("GPUSCHED_GRACE"), std::string::npos);
  EXPECT_NE(log().find("GPUSCHED_SOCKET=/s"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Groups, Save, ::testing::Bool(), [](const auto& tested) {
  return std::string(tested.param ? "WithCgroup" : "WithoutCgroup");
});

}  // namespace
}  // namespace gpusched
