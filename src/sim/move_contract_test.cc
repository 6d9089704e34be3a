// The Mover's contract on its twin in virtual time.
#include "tests/support/move_contract.h"

#include <map>

#include "sim/sim_launcher.h"
#include "sim/sim_mover.h"

namespace gpusched {
namespace {

class SimMoves {
 public:
  SimMoves() {
    launcher_.report_to([this](const LauncherReport& report) { note(reports_, report); });
    mover_.report_to([this](const MoverReport& report) { note(reports_, report); });
    plan_.run_for = Seconds{1'000'000};
    plan_.vram_bytes = kMoveVram;
    mover_.set_room([this](const MoveOrder&) { return room_; });
  }

  Launcher& launcher() { return launcher_; }
  Mover& mover() { return mover_; }
  LaunchOrder card_order(AttemptId attempt) {
    LaunchOrder order;
    order.attempt = attempt;
    return order;
  }
  MoveOrder move_order(AttemptId attempt, bool checkpoint) {
    return {.attempt = attempt, .checkpoint = checkpoint, .room = {{"card", kMoveVram}}};
  }
  const std::vector<SeamReport>& reports() const { return reports_; }
  bool run_until(const std::function<bool()>& condition) {
    for (int i = 0; i < 20'000 && !condition(); ++i) {
      now_.boot += Microseconds{1000};
      now_.wall += Microseconds{1000};
      launcher_.advance(now_);
      mover_.advance(now_);
    }
    return condition();
  }
  void restart() {
    launcher_.daemon_died();
    mover_.daemon_died();
  }
  bool on_card(AttemptId id) { return launcher_.place_of(id) != SimLauncher::Place::kAside; }
  std::function<bool()> computing(AttemptId id) {
    return [this, id] { return launcher_.place_of(id) == SimLauncher::Place::kOnCards; };
  }
  void take_room() { room_ = false; }
  void give_room() { room_ = true; }
  void refuse_moves() { plan_.out = SimLauncher::MoveFault::kNever; }
  void lose_on_return() { plan_.back = SimLauncher::MoveFault::kLost; }

 protected:
  Now now_{Wall{Seconds{1'700'000'000}}, Boot{Seconds{100}}};
  SimLauncher::Plan plan_;
  bool room_ = true;
  std::vector<SeamReport> reports_;
  SimLauncher launcher_{[this](const LaunchOrder&) { return plan_; }};
  SimMover mover_{launcher_};
};

INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, MoveContract, ::testing::Types<SimMoves>);

class VirtualMoves : public SimMoves, public ::testing::Test {
 protected:
  const AttemptId one_{JobId{1}, 1};
};

TEST_F(VirtualMoves, TakeAsLongAsTheirBytes) {
  mover_.set_rates({std::uint64_t{2} << 30, std::uint64_t{4} << 30, Microseconds{0}});
  launcher_.launch(card_order(one_));
  ASSERT_TRUE(run_until([&] { return reports_.size() == 1; }));
  mover_.move_aside(move_order(one_, true));
  ASSERT_TRUE(run_until([&] { return reports_.size() == 2; }));
  const auto* aside = std::get_if<MovedAside>(&reports_[1]);
  ASSERT_NE(aside, nullptr);
  EXPECT_NEAR(static_cast<double>(aside->times.whole.count()), 2e6, 1e4);
  mover_.bring_back(move_order(one_, true));
  ASSERT_TRUE(run_until([&] { return reports_.size() == 3; }));
  const auto* back = std::get_if<BroughtBack>(&reports_[2]);
  ASSERT_NE(back, nullptr);
  EXPECT_NEAR(static_cast<double>(back->times.whole.count()), 1e6, 1e4);
}

TEST_F(VirtualMoves, TheTimeOfAJobStandsStillWhileItIsAside) {
  plan_.run_for = Seconds{3};
  LaunchOrder order = card_order(one_);
  order.time.limit = Seconds{4};
  launcher_.launch(order);
  ASSERT_TRUE(run_until([&] { return reports_.size() == 1; }));
  mover_.move_aside(move_order(one_, true));
  int left = 10'000;
  run_until([&] { return --left < 0; });
  ASSERT_EQ(reports_.size(), 2U);
  mover_.bring_back(move_order(one_, true));
  ASSERT_TRUE(run_until([&] { return reports_.size() == 4; }));
  const auto* ended = std::get_if<AttemptFinished>(&reports_[3]);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->exit_code, 0);
}

TEST_F(VirtualMoves, OneWhoseWorkDoesNotEndStaysAndMayBeTriedAgain) {
  plan_.out = SimLauncher::MoveFault::kNotNow;
  launcher_.launch(card_order(one_));
  mover_.move_aside(move_order(one_, true));
  ASSERT_TRUE(run_until([&] { return reports_.size() == 2; }));
  const auto* failed = std::get_if<MoveFailed>(&reports_[1]);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->left, MoveLeft::kRunning);
  EXPECT_FALSE(failed->never);
}

}  // namespace
}  // namespace gpusched
