// Whatever is killed in the middle of a move, and at whichever step: the order is answered, nothing
// is lost, and the job goes on where it was.
#include <gtest/gtest.h>

#include <random>

#include "launch/move_harness.h"

namespace gpusched {
namespace {

class CrashedMoves {
 protected:
  void start(int processes) {
    const std::string job = harness_.simjob(one_);
    std::string script;
    for (int i = 1; i < processes; ++i) script += job + "." + std::to_string(i) + " & ";
    harness_.launcher().launch(harness_.on_cards(harness_.shell_order(one_, script + job)));
    vram_ = static_cast<std::uint64_t>(processes) * kMoveVram;
    ASSERT_TRUE(harness_.run_until([&] { return harness_.held_on_card() == vram_; }));
  }
  void order(bool out) {
    const MoveOrder order = harness_.move_order(one_, true);
    out ? harness_.mover().move_aside(order) : harness_.mover().bring_back(order);
  }
  long count_moves() { return std::ranges::count_if(harness_.reports(), is_about_move); }
  void expect_answer(bool out, long before) {
    ASSERT_TRUE(harness_.run_until([&] { return count_moves() > before; }));
    const SeamReport& last = harness_.reports().back();
    const auto* failed = std::get_if<MoveFailed>(&last);
    ASSERT_EQ(failed, nullptr) << failed->error;
    if (out) {
      const auto* aside = std::get_if<MovedAside>(&last);
      ASSERT_NE(aside, nullptr);
      EXPECT_EQ(aside->bytes, vram_);
      EXPECT_EQ(harness_.held_on_card(), 0U);
    } else {
      ASSERT_NE(std::get_if<BroughtBack>(&last), nullptr);
      EXPECT_EQ(harness_.held_on_card(), vram_);
      EXPECT_TRUE(harness_.run_until(harness_.computing(one_)));
    }
  }
  void turn_the_loop(unsigned times) {
    unsigned left = times;
    harness_.run_until([&] { return left-- == 0; });
  }

  MoveHarness harness_{false};
  const AttemptId one_{JobId{1}, 1};
  std::uint64_t vram_ = 0;
};

class MoverDies : public CrashedMoves, public ::testing::TestWithParam<const char*> {};

TEST_P(MoverDies, TheNextOneGoesOnFromThere) {
  harness_.set_mover_variable(std::string("GPUSCHED_MOVER_DIES_AT=") + GetParam());
  // So long the driver is at work when its asker dies inside a call.
  if (std::string_view(GetParam()).starts_with("inside")) {
    harness_.driver().set({"checkpoint_fixed_ms=400"});
  }
  start(2);
  order(true);
  expect_answer(true, 0);
  order(false);
  expect_answer(false, 1);
  const std::string mark = harness_.attempt_path(one_) + "/died." + GetParam();
  EXPECT_EQ(::access(mark.c_str(), F_OK), 0) << "the step was never reached";
}

INSTANTIATE_TEST_SUITE_P(AtEveryStep, MoverDies,
                         ::testing::Values("begun", "locked:1", "locked:2", "checkpointed:1",
                                           "checkpointed:2", "stopped", "recorded", "held",
                                           "begun back", "restored:1", "restored:2", "unlocked:1",
                                           "unlocked:2", "recorded back"));
INSTANTIATE_TEST_SUITE_P(InsideEveryCall, MoverDies,
                         ::testing::Values("inside lock:1", "inside checkpoint:1",
                                           "inside checkpoint:2", "inside restore:1",
                                           "inside restore:2", "inside unlock:1"));

class CrashedTwice : public CrashedMoves, public ::testing::Test {};

// Killed inside Checkpoint, then inside Restore: whoever comes next finds the driver at work.
TEST_F(CrashedTwice, TheOrderIsAnsweredFromWhatTheDriverHasDone) {
  harness_.set_mover_variable(
      "GPUSCHED_MOVER_DIES_AT=inside checkpoint:1,inside restore:1,begun back");
  harness_.driver().set({"checkpoint_fixed_ms=300"});
  start(1);
  for (int round = 0; round < 2; ++round) {
    order(true);
    expect_answer(true, 2 * round);
    order(false);
    expect_answer(false, 2 * round + 1);
  }
}

class Crashes : public CrashedMoves, public ::testing::Test {};

TEST_F(Crashes, AKilledLauncherDoesNotStopAMove) {
  std::mt19937 random(3);
  start(1);
  harness_.driver().set({"checkpoint_fixed_ms=30"});
  for (int round = 0; round < 12; ++round) {
    const bool out = round % 2 == 0;
    const long before = count_moves();
    order(out);
    turn_the_loop(static_cast<unsigned>(random() % 8));
    if (const int pid = harness_.launcher_pid(); pid > 0) ::kill(pid, SIGKILL);
    expect_answer(out, before);
  }
}

TEST_F(Crashes, ADaemonThatDiesAsksAgainAndIsAnswered) {
  std::mt19937 random(5);
  start(1);
  harness_.driver().set({"checkpoint_fixed_ms=30"});
  for (int round = 0; round < 12; ++round) {
    const bool out = round % 2 == 0;
    order(out);
    turn_the_loop(static_cast<unsigned>(random() % 8));
    harness_.restart();
    harness_.launcher().reattach(one_);
    const long before = count_moves();
    order(out);
    expect_answer(out, before);
  }
}

TEST_F(Crashes, AMoverOfAnOrderThatWasReplacedDoesNothing) {
  start(1);
  // Two daemons die right after they have asked; the third wants the opposite.
  harness_.driver().set({"checkpoint_fixed_ms=100"});
  for (int round = 0; round < 2; ++round) {
    order(true);
    ASSERT_TRUE(harness_.run_until([&] { return !harness_.read(one_, kMoveOrder).empty(); }));
    turn_the_loop(3);
    harness_.restart();
    harness_.launcher().reattach(one_);
  }
  const long before = count_moves();
  order(false);
  expect_answer(false, before);
  turn_the_loop(30);
  EXPECT_EQ(harness_.held_on_card(), vram_);
}

TEST_F(Crashes, AJobThatIsKilledInTheMiddleIsReportedAsEndedOnly) {
  std::mt19937 random(9);
  harness_.driver().set({"checkpoint_fixed_ms=40"});
  for (std::uint64_t job = 2; job < 10; ++job) {
    const AttemptId id{JobId{job}, 1};
    harness_.launcher().launch(harness_.card_order(id));
    ASSERT_TRUE(harness_.run_until([&] { return harness_.held_on_card() == kMoveVram; }));
    harness_.mover().move_aside(harness_.move_order(id, true));
    turn_the_loop(static_cast<unsigned>(random() % 6));
    ::kill(parse_status(harness_.read(id, "status"))->pid, SIGKILL);
    ASSERT_TRUE(harness_.run_until([&] {
      return std::ranges::any_of(harness_.reports(), [&](const SeamReport& report) {
        return attempt_of(report) == id && is_final(report);
      });
    }));
    EXPECT_TRUE(is_final(harness_.reports().back()));
    EXPECT_EQ(harness_.held_on_card(), 0U);
  }
  // Nothing of them is in the way of the next.
  start(1);
  const long before = count_moves();
  order(true);
  expect_answer(true, before);
}

TEST_F(Crashes, AMoverThatDiesEveryTimeIsGivenUp) {
  start(1);
  harness_.set_mover({"/bin/false", {}, 0});
  harness_.launcher().reattach(one_);
  order(true);
  ASSERT_TRUE(harness_.run_until([&] { return count_moves() == 1; }));
  const auto* failed = std::get_if<MoveFailed>(&harness_.reports().back());
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->left, MoveLeft::kRunning);
  EXPECT_NE(failed->error.find("was ended 5 times"), std::string::npos);
}

}  // namespace
}  // namespace gpusched
