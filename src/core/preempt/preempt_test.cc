// Making room: who is moved aside, how, and that everybody comes back.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "core/explain/excerpt.h"
#include "core/explain/explain.h"
#include "core/explain/look_ahead.h"
#include "core/preempt/preempt.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;

constexpr int kIdle = 10, kLow = 30, kNormal = 50, kHigh = 75, kUrgent = 90;

// Cards whose driver moves processes.
State movable(int cards, std::uint64_t gib_each, Rules rules = {}) {
  State state = machine(cards, gib_each, 32, rules);
  std::vector<Card> list = state.cards();
  for (Card& card : list) card.moves = true;
  state.set_cards(std::move(list));
  return state;
}

// Decides once; what has to be done outside.
std::vector<Effect> turn(State& state, Now now) {
  std::vector<Effect> effects;
  for (const Decision& decision : decide(state, now).decisions) {
    for (Effect& effect : accept(state, decision, now).effects) effects.push_back(effect);
  }
  state.check_invariants();
  return effects;
}

template <class Wanted>
Jobs jobs_of(const std::vector<Effect>& effects) {
  Jobs jobs;
  for (const Effect& effect : effects) {
    if (const auto* wanted = std::get_if<Wanted>(&effect)) {
      jobs.push_back(number_of(wanted->attempt.job));
    }
  }
  return jobs;
}

void started(State& state, std::uint64_t job, std::int64_t second) {
  turn(state, at_second(second));
  run(state, job, at_second(second));
  ASSERT_EQ(state_of(state, job), "running");
}
void moved(State& state, std::uint64_t job, std::uint64_t gib, std::int64_t second) {
  apply(state, MovedAside{state.find(JobId{job})->current_attempt(), {}, gib * kGiB},
        at_second(second));
}
void back(State& state, std::uint64_t job, std::int64_t second) {
  apply(state, BroughtBack{state.find(JobId{job})->current_attempt(), {}}, at_second(second));
}

TEST(Preempt, AnUrgentJobMovesALessImportantOneAsideAndItComesBack) {
  State state = movable(1, 24);
  ask().priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).priority(kUrgent).submit(state, at_second(60));
  const auto effects = turn(state, at_second(60));
  EXPECT_EQ(jobs_of<MoveAside>(effects), Jobs{1});
  EXPECT_EQ(state_of(state, 1), "pausing");
  EXPECT_EQ(state_of(state, 2), "queued");
  const auto why = why_waiting(state, *state.find(JobId{2}), at_second(60));
  ASSERT_FALSE(why.empty());
  expect_reason(ReasonCode::kMakingRoom, why.front());
  EXPECT_TRUE(turn(state, at_second(61)).empty()) << "once is enough";

  moved(state, 1, 6, 62);
  EXPECT_EQ(state_of(state, 1), "paused");
  EXPECT_EQ(state.host_holds().ram_bytes, 6 * kGiB) << "in host RAM";
  EXPECT_EQ(jobs_of<Launch>(turn(state, at_second(62))), Jobs{2});
  run(state, 2, at_second(62));
  EXPECT_TRUE(turn(state, at_second(63)).empty());
  const auto away = why_waiting(state, *state.find(JobId{1}), at_second(63));
  ASSERT_EQ(away.size(), 1u);
  expect_reason(ReasonCode::kMovedAside, away.front());

  finish(state, 2, 0, at_second(100));
  EXPECT_EQ(jobs_of<BringBack>(turn(state, at_second(100))), Jobs{1});
  EXPECT_EQ(state_of(state, 1), "resuming");
  EXPECT_EQ(state.holds_on(0).jobs, 1) << "its place is taken";
  back(state, 1, 101);
  EXPECT_EQ(state_of(state, 1), "running");
  EXPECT_EQ(ran_for(std::get<Running>(state.find(JobId{1})->state), at_second(111).wall),
            Seconds{70})
      << "60 before, 10 after";
}

TEST(Preempt, NobodyOfTheSameOrAHigherBandIsMoved) {
  for (const int priority : {kNormal, kHigh, kUrgent}) {
    State state = movable(1, 24);
    ask().priority(priority).submit(state, at_second(0));
    started(state, 1, 0);
    ask().vram(20).priority(kNormal).submit(state, at_second(600));
    EXPECT_TRUE(turn(state, at_second(600)).empty()) << priority;
  }
}

TEST(Preempt, TheDistanceBetweenBandsIsARule) {
  Rules rules;
  rules.room.distance = 2;
  State state = movable(1, 24, rules);
  ask().priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).priority(kNormal).submit(state, at_second(60));
  EXPECT_TRUE(turn(state, at_second(60)).empty());
  ask().vram(20).priority(kHigh).submit(state, at_second(61));
  EXPECT_EQ(jobs_of<MoveAside>(turn(state, at_second(61))), Jobs{1});
}

TEST(Preempt, NobodyIsMovedForNothing) {
  State state = movable(2, 24);
  ask().priority(kIdle).submit(state, at_second(0));
  started(state, 1, 0);
  ask().priority(kUrgent).submit(state, at_second(0));
  started(state, 2, 0);
  // Two cards: one of them cannot be had, so the other one is left alone.
  ask().gpus(2).priority(kUrgent).submit(state, at_second(60));
  EXPECT_TRUE(turn(state, at_second(60)).empty());
  // And where it fits anyway, too.
  State roomy = movable(2, 24);
  ask().priority(kIdle).submit(roomy, at_second(0));
  started(roomy, 1, 0);
  ask().priority(kUrgent).submit(roomy, at_second(60));
  EXPECT_EQ(jobs_of<MoveAside>(turn(roomy, at_second(60))), Jobs{});
  EXPECT_EQ(state_of(roomy, 2), "starting");
}

TEST(Preempt, AGangIsMovedForAsAWhole) {
  State state = movable(3, 24);
  for (int i = 0; i < 3; ++i) ask().priority(i == 0 ? kNormal : kIdle).submit(state, at_second(0));
  turn(state, at_second(0));
  for (std::uint64_t job : {1, 2, 3}) run(state, job, at_second(0));
  ask().gpus(2).priority(kUrgent).submit(state, at_second(60));
  EXPECT_EQ(jobs_of<MoveAside>(turn(state, at_second(60))), (Jobs{3, 2}))
      << "the idle ones, the youngest first";
}

TEST(Preempt, TheLeastImportantThenTheSmallestGoes) {
  State state = movable(1, 80);
  ask().vram(30).share(20).priority(kLow).submit(state, at_second(0));
  ask().vram(20).share(20).priority(kLow).submit(state, at_second(0));
  ask().vram(10).share(20).priority(kNormal).submit(state, at_second(0));
  turn(state, at_second(0));
  for (std::uint64_t job : {1, 2, 3}) run(state, job, at_second(0));
  ask().vram(30).share(20).priority(kUrgent).submit(state, at_second(60));
  EXPECT_EQ(jobs_of<MoveAside>(turn(state, at_second(60))), Jobs{2})
      << "20 GiB less are enough, and 20 are moved sooner than 30";
}

TEST(Preempt, ComputeAloneIsFreedByFreezing) {
  State state = machine(1, 80);  // No driver that moves anything.
  ask().vram(10).share(80).priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(10).share(50).priority(kUrgent).submit(state, at_second(60));
  const auto effects = turn(state, at_second(60));
  ASSERT_EQ(jobs_of<MoveAside>(effects), Jobs{1});
  EXPECT_FALSE(std::get<MoveAside>(effects.front()).checkpoint);
  moved(state, 1, 0, 61);
  EXPECT_EQ(state.holds_on(0).vram_bytes, 10 * kGiB) << "its memory stays";
  EXPECT_EQ(jobs_of<Launch>(turn(state, at_second(61))), Jobs{2});
  run(state, 2, at_second(61));
  finish(state, 2, 0, at_second(70));
  EXPECT_EQ(jobs_of<BringBack>(turn(state, at_second(70))), Jobs{1});
}

TEST(Preempt, WithoutADriverThatMovesRestartableJobsStartOver) {
  State state = machine(1, 24);
  ask().priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).priority(kUrgent).submit(state, at_second(60));
  EXPECT_TRUE(turn(state, at_second(60)).empty()) << "not restartable: left alone";

  State other = machine(1, 24);
  Ask restartable = ask();
  restartable.spec().restartable = true;
  restartable.priority(kLow).submit(other, at_second(0));
  started(other, 1, 0);
  ask().vram(20).priority(kUrgent).submit(other, at_second(60));
  EXPECT_EQ(jobs_of<StopAttempt>(turn(other, at_second(60))), Jobs{1});
  EXPECT_TRUE(turn(other, at_second(61)).empty()) << "it is on its way";
  finish(other, 1, 143, at_second(62));
  EXPECT_EQ(state_of(other, 1), "queued");
  EXPECT_EQ(jobs_of<Launch>(turn(other, at_second(62))), Jobs{2});
}

TEST(Preempt, WhoCanSaveIsAsked) {
  State state = movable(1, 24);
  Ask saving = ask();
  saving.spec().saves = std::make_shared<const SaveTerms>();
  saving.priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).priority(kUrgent).submit(state, at_second(60));
  EXPECT_EQ(jobs_of<AskToSave>(turn(state, at_second(60))), Jobs{1});
}

TEST(Preempt, WishesAndRulesAreKept) {
  for (const PreemptPolicy policy : {PreemptPolicy::kNever, PreemptPolicy::kCooperative}) {
    State state = movable(1, 24);
    Ask one = ask();
    one.spec().preempt = policy;
    one.priority(kLow).submit(state, at_second(0));
    started(state, 1, 0);
    ask().vram(20).priority(kUrgent).submit(state, at_second(60));
    EXPECT_TRUE(turn(state, at_second(60)).empty());
  }
  Rules off;
  off.preemption = Preemption::kOff;
  State state = movable(1, 24, off);
  ask().priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).priority(kUrgent).submit(state, at_second(60));
  EXPECT_TRUE(turn(state, at_second(60)).empty());
}

TEST(Preempt, NobodyIsMovedBeforeItHasRunAndCooledDown) {
  State state = movable(1, 24);
  ask().priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).priority(kUrgent).submit(state, at_second(10));
  EXPECT_TRUE(turn(state, at_second(10)).empty()) << "only just started";
  EXPECT_EQ(jobs_of<MoveAside>(turn(state, at_second(30))), Jobs{1});
  moved(state, 1, 1, 31);
  turn(state, at_second(31));
  run(state, 2, at_second(31));
  finish(state, 2, 0, at_second(40));
  turn(state, at_second(40));
  back(state, 1, 41);
  ask().vram(20).priority(kUrgent).submit(state, at_second(100));
  EXPECT_TRUE(turn(state, at_second(100)).empty()) << "back for 59 s only";
  EXPECT_EQ(jobs_of<MoveAside>(turn(state, at_second(161))), Jobs{1});
}

TEST(Preempt, HostRamThatIsTooSmallKeepsItWhereItIs) {
  State state = movable(1, 80);  // 64 GiB of host RAM, 2 of them in reserve.
  ask().vram(70).priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).priority(kUrgent).submit(state, at_second(60));
  EXPECT_TRUE(turn(state, at_second(60)).empty());
}

TEST(Preempt, WhatIsSoonOverIsWaitedFor) {
  State state = movable(1, 24);
  ask().vram(20).time(70).priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).priority(kUrgent).submit(state, at_second(60));
  EXPECT_TRUE(turn(state, at_second(60)).empty()) << "10 s more at most; moving takes longer";
}

TEST(Preempt, AFailedMoveLeavesEverythingAsItWasAndIsRemembered) {
  State state = movable(1, 24);
  ask().priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).priority(kUrgent).submit(state, at_second(60));
  turn(state, at_second(60));
  MoveFailed failed{.attempt = state.find(JobId{1})->current_attempt()};
  failed.never = true;
  failed.error = "the driver does not support it";
  apply(state, failed, at_second(61));
  EXPECT_EQ(state_of(state, 1), "running");
  EXPECT_TRUE(turn(state, at_second(600)).empty()) << "not tried again for this program";
}

TEST(Preempt, AReturnThatFindsNoRoomIsTriedAgainLaterAndALostOneEndsHonestly) {
  State state = movable(1, 24);
  ask().priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).priority(kUrgent).submit(state, at_second(60));
  turn(state, at_second(60));
  moved(state, 1, 6, 61);
  turn(state, at_second(61));
  run(state, 2, at_second(61));
  finish(state, 2, 0, at_second(70));
  turn(state, at_second(70));
  MoveFailed failed{.attempt = state.find(JobId{1})->current_attempt(), .left = MoveLeft::kAside};
  failed.error = "too little is free";
  apply(state, failed, at_second(71));
  EXPECT_EQ(state_of(state, 1), "paused");
  EXPECT_TRUE(turn(state, at_second(72)).empty());
  EXPECT_EQ(jobs_of<BringBack>(turn(state, at_second(82))), Jobs{1});
  failed.left = MoveLeft::kLost;
  const Applied lost = apply(state, failed, at_second(83));
  EXPECT_EQ(jobs_of<StopAttempt>(lost.effects), Jobs{1});
  finish(state, 1, 137, at_second(84));
  const auto& ended = std::get<Ended>(state.find(JobId{1})->state);
  EXPECT_EQ(ended.cause, Cause::kRestoreLost);
}

TEST(Preempt, TwoUrgentJobsAtOnceMoveTwo) {
  State state = movable(2, 24);
  for (int i = 0; i < 2; ++i) ask().priority(kLow).submit(state, at_second(0));
  turn(state, at_second(0));
  for (std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  for (int i = 0; i < 2; ++i) ask().vram(20).priority(kUrgent).submit(state, at_second(60));
  Jobs out = jobs_of<MoveAside>(turn(state, at_second(60)));
  std::ranges::sort(out);
  EXPECT_EQ(out, (Jobs{1, 2}));
  moved(state, 2, 1, 61);
  EXPECT_EQ(jobs_of<Launch>(turn(state, at_second(61))).size(), 1u);
  moved(state, 1, 1, 62);
  EXPECT_EQ(jobs_of<Launch>(turn(state, at_second(62))).size(), 1u);
}

TEST(Preempt, WhoWasMovedForSomebodyThatIsCancelledComesBackAtOnce) {
  State state = movable(1, 24);
  ask().priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).priority(kUrgent).submit(state, at_second(60));
  turn(state, at_second(60));
  apply(state, CancelAsked{ourselves(), {JobId{2}}, {}}, at_second(61));
  EXPECT_TRUE(turn(state, at_second(61)).empty()) << "it is still on its way out";
  moved(state, 1, 6, 62);
  EXPECT_EQ(jobs_of<BringBack>(turn(state, at_second(62))), Jobs{1});
}

TEST(Preempt, NewcomersOfItsBandDoNotKeepAJobAside) {
  State state = movable(1, 24);
  ask().priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).priority(kUrgent).submit(state, at_second(60));
  turn(state, at_second(60));
  moved(state, 1, 6, 61);
  turn(state, at_second(61));
  run(state, 2, at_second(61));
  for (int i = 0; i < 5; ++i) ask().vram(2).priority(kLow).submit(state, at_second(62));
  EXPECT_EQ(jobs_of<Launch>(turn(state, at_second(62))), Jobs{}) << "the place is kept";
  finish(state, 2, 0, at_second(70));
  EXPECT_EQ(jobs_of<BringBack>(turn(state, at_second(70))), Jobs{1});
}

TEST(LookAhead, CountsOnRoomThatIsMadeAndOnReturns) {
  State state = movable(1, 24);
  ask().vram(20).time(7200).priority(kLow).submit(state, at_second(0));
  started(state, 1, 0);
  ask().vram(20).time(600).priority(kUrgent).submit(state, at_second(60));
  ask().vram(20).time(60).priority(kLow).submit(state, at_second(60));
  const Forecast forecast = look_ahead(excerpt_of(state, 100, at_second(60)));
  const Microseconds out = time_at(usual_rate_out(), 20 * kGiB);
  const Microseconds back = time_at(usual_rate_back(), 20 * kGiB);
  EXPECT_EQ(forecast.starts.at(JobId{2}).likely, at_second(60).wall + out) << "by moving job 1";
  EXPECT_EQ(forecast.starts.at(JobId{3}).likely, at_second(60 + 600 + 7140).wall + out + back)
      << "after job 1 has come back and ended";
}

}  // namespace
}  // namespace gpusched::testing
