// The contract of the Mover seam as typed tests: the real mover and the simulated one run the same
// ones, each beside its launcher.
//
// A harness is default-constructible and offers what launcher_contract.h asks for, and:
//   Mover& mover();
//   LaunchOrder card_order(AttemptId);       // Holds kMoveVram on a card and computes without end.
//   MoveOrder move_order(AttemptId, bool checkpoint);
//   bool on_card(AttemptId);                 // Its VRAM is.
//   std::function<bool()> computing(AttemptId);  // True once it has gone on since this call.
//   void take_room(); void give_room();      // Of the card that it left.
//   void refuse_moves(); void lose_on_return();  // Before card_order().
#pragma once

#include <algorithm>

#include "tests/support/launcher_contract.h"

namespace gpusched {

inline constexpr std::uint64_t kMoveVram = std::uint64_t{4} << 30;

template <class Harness>
class MoveContract : public LauncherContract<Harness> {
 protected:
  void start(AttemptId id) {
    this->launcher().launch(this->harness_.card_order(id));
    ASSERT_TRUE(this->run_until_started(id));
    ASSERT_TRUE(this->harness_.run_until([&] { return this->harness_.on_card(id); }));
  }
  void move(AttemptId id, bool out, bool checkpoint = true) {
    const MoveOrder order = this->harness_.move_order(id, checkpoint);
    out ? this->harness_.mover().move_aside(order) : this->harness_.mover().bring_back(order);
  }
  long count_moves(AttemptId id) {
    return std::ranges::count_if(this->harness_.reports(), [&](const SeamReport& report) {
      return attempt_of(report) == id && is_about_move(report);
    });
  }
  // The answer to the last order; null: none came.
  template <class T>
  const T* answer(AttemptId id, bool out, bool checkpoint = true) {
    const long before = count_moves(id);
    move(id, out, checkpoint);
    if (!this->harness_.run_until([&] { return count_moves(id) > before; })) return nullptr;
    const T* found = nullptr;
    for (const SeamReport& report : this->harness_.reports()) {
      if (attempt_of(report) != id || !is_about_move(report)) continue;
      found = std::get_if<T>(&report);
      if (const auto* failed = std::get_if<MoveFailed>(&report)) said_ = failed->error;
    }
    return found;
  }
  std::string said_;  // Of the last one that failed.
};

TYPED_TEST_SUITE_P(MoveContract);

TYPED_TEST_P(MoveContract, LeavesTheCardAndComesBackAndGoesOn) {
  this->start(this->one_);
  for (int round = 0; round < 2; ++round) {
    const auto* aside = this->template answer<MovedAside>(this->one_, true);
    ASSERT_NE(aside, nullptr);
    EXPECT_EQ(aside->bytes, kMoveVram);
    EXPECT_GT(aside->times.whole.count(), 0);
    EXPECT_FALSE(this->harness_.on_card(this->one_));
    ASSERT_NE(this->template answer<BroughtBack>(this->one_, false), nullptr);
    EXPECT_TRUE(this->harness_.on_card(this->one_));
    EXPECT_TRUE(this->harness_.run_until(this->harness_.computing(this->one_)));
  }
}

TYPED_TEST_P(MoveContract, AFrozenOneKeepsItsMemory) {
  this->start(this->one_);
  const auto* aside = this->template answer<MovedAside>(this->one_, true, false);
  ASSERT_NE(aside, nullptr);
  EXPECT_EQ(aside->bytes, 0U);
  EXPECT_TRUE(this->harness_.on_card(this->one_));
  ASSERT_NE(this->template answer<BroughtBack>(this->one_, false, false), nullptr);
  EXPECT_TRUE(this->harness_.run_until(this->harness_.computing(this->one_)));
}

TYPED_TEST_P(MoveContract, AFrozenOneMayLeaveTheCardLater) {
  this->start(this->one_);
  ASSERT_NE(this->template answer<MovedAside>(this->one_, true, false), nullptr);
  const auto* aside = this->template answer<MovedAside>(this->one_, true, true);
  ASSERT_NE(aside, nullptr) << this->said_;
  EXPECT_EQ(aside->bytes, kMoveVram);
  EXPECT_FALSE(this->harness_.on_card(this->one_));
}

TYPED_TEST_P(MoveContract, ARefusalLeavesItRunning) {
  this->harness_.refuse_moves();
  this->start(this->one_);
  const auto* failed = this->template answer<MoveFailed>(this->one_, true);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->left, MoveLeft::kRunning);
  EXPECT_TRUE(failed->never);
  EXPECT_FALSE(failed->error.empty());
  EXPECT_TRUE(this->harness_.on_card(this->one_));
  EXPECT_TRUE(this->harness_.run_until(this->harness_.computing(this->one_)));
}

TYPED_TEST_P(MoveContract, WithoutRoomItStaysAsideAndComesBackLater) {
  this->start(this->one_);
  ASSERT_NE(this->template answer<MovedAside>(this->one_, true), nullptr);
  this->harness_.take_room();
  const auto* failed = this->template answer<MoveFailed>(this->one_, false);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->left, MoveLeft::kAside);
  EXPECT_FALSE(failed->never);
  EXPECT_FALSE(this->harness_.on_card(this->one_));
  this->harness_.give_room();
  ASSERT_NE(this->template answer<BroughtBack>(this->one_, false), nullptr);
  EXPECT_TRUE(this->harness_.run_until(this->harness_.computing(this->one_)));
}

TYPED_TEST_P(MoveContract, OneThatCannotComeBackIsLost) {
  this->harness_.lose_on_return();
  this->start(this->one_);
  ASSERT_NE(this->template answer<MovedAside>(this->one_, true), nullptr);
  const auto* failed = this->template answer<MoveFailed>(this->one_, false);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->left, MoveLeft::kLost);
  this->launcher().stop(this->one_, Seconds{0});
  EXPECT_TRUE(this->run_until_final(this->one_));
}

TYPED_TEST_P(MoveContract, StopReachesOneThatIsAside) {
  this->start(this->one_);
  ASSERT_NE(this->template answer<MovedAside>(this->one_, true), nullptr);
  this->launcher().stop(this->one_, Seconds{1});
  ASSERT_TRUE(this->run_until_final(this->one_));
  EXPECT_NE(this->template find<AttemptFinished>(this->one_), nullptr);
}

TYPED_TEST_P(MoveContract, AnAttemptThatEndsMeanwhileIsNotReportedAsMovedAfterwards) {
  this->start(this->one_);
  this->move(this->one_, true);
  this->launcher().stop(this->one_, Seconds{0});
  ASSERT_TRUE(this->run_until_final(this->one_));
  int left = 20;
  this->harness_.run_until([&] { return --left < 0; });
  EXPECT_TRUE(is_final(this->harness_.reports().back()));
  // Neither is one that nobody knows.
  this->move(this->one_, false);
  left = 20;
  this->harness_.run_until([&] { return --left < 0; });
  EXPECT_TRUE(is_final(this->harness_.reports().back()));
}

TYPED_TEST_P(MoveContract, AnOrderRepeatedAfterACrashIsAnswered) {
  this->start(this->one_);
  for (const bool out : {true, false, true}) {
    this->move(this->one_, out);
    this->harness_.restart();
    this->launcher().reattach(this->one_);
    if (out) {
      EXPECT_NE(this->template answer<MovedAside>(this->one_, true), nullptr);
    } else {
      EXPECT_NE(this->template answer<BroughtBack>(this->one_, false), nullptr);
    }
    EXPECT_EQ(this->harness_.on_card(this->one_), !out);
  }
}

TYPED_TEST_P(MoveContract, WhatIsDoneAlreadyIsAnsweredTheSame) {
  this->start(this->one_);
  for (int round = 0; round < 2; ++round) {
    const auto* aside = this->template answer<MovedAside>(this->one_, true);
    ASSERT_NE(aside, nullptr) << round;
    EXPECT_EQ(aside->bytes, kMoveVram);
  }
  for (int round = 0; round < 2; ++round) {
    ASSERT_NE(this->template answer<BroughtBack>(this->one_, false), nullptr) << round;
  }
  EXPECT_TRUE(this->harness_.run_until(this->harness_.computing(this->one_)));
}

TYPED_TEST_P(MoveContract, NothingIsReportedFromInsideACall) {
  this->start(this->one_);
  const std::size_t before = this->harness_.reports().size();
  this->move(this->one_, true);
  this->move(this->one_, false);
  EXPECT_EQ(this->harness_.reports().size(), before);
  EXPECT_TRUE(this->harness_.run_until([&] { return this->count_moves(this->one_) == 2; }));
  EXPECT_NE(this->template find<BroughtBack>(this->one_), nullptr);
}

REGISTER_TYPED_TEST_SUITE_P(MoveContract, LeavesTheCardAndComesBackAndGoesOn,
                            AFrozenOneKeepsItsMemory, AFrozenOneMayLeaveTheCardLater,
                            ARefusalLeavesItRunning, WithoutRoomItStaysAsideAndComesBackLater,
                            OneThatCannotComeBackIsLost, StopReachesOneThatIsAside,
                            AnAttemptThatEndsMeanwhileIsNotReportedAsMovedAfterwards,
                            AnOrderRepeatedAfterACrashIsAnswered,
                            WhatIsDoneAlreadyIsAnsweredTheSame, NothingIsReportedFromInsideACall);

}  // namespace gpusched
