// Making room where several jobs want it, where others leave already, and where things change
// meanwhile.
#include <gtest/gtest.h>

#include "core/explain/excerpt.h"
#include "core/explain/explain.h"
#include "core/explain/look_ahead.h"
#include "core/preempt/preempt.h"
#include "tests/support/core_words.h"
#include "tests/support/room_builders.h"

namespace gpusched::testing {
namespace {

constexpr int kPriorityIdle = 10, kPriorityLow = 30, kPriorityUrgent = 90, kPriorityTop = 99;

void change_priority(State& state, std::uint64_t job, int priority, std::int64_t second) {
  SetAsked asked{.actor = ourselves(), .jobs = {JobId{job}}};
  asked.patch.priority = priority;
  apply(state, asked, at_second(second));
  ASSERT_EQ(state.find(JobId{job})->priority, priority);
}

TEST(PreemptSeveral, HostRamIsHeldFromTheDecisionOnSoTwoMovesCannotShareIt) {
  State state = moving_machine(2, 24);
  state.set_host({.cpus = 32, .ram_bytes = 24 * kGiB});
  for (int i = 0; i < 2; ++i) {
    ask().vram(14).share(60).priority(kPriorityLow).submit(state, at_second(0));
  }
  take_turn(state, 0);
  for (std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  for (int i = 0; i < 2; ++i) ask().vram(20).priority(kPriorityUrgent).submit(state, at_second(60));
  const JobNumbers out = who<MoveAside>(take_turn(state, 60));
  ASSERT_EQ(out.size(), 1u) << "host RAM takes one of the two";
  EXPECT_EQ(state.host_holds().ram_bytes, 14 * kGiB) << "on its way it is held already";
  EXPECT_TRUE(take_turn(state, 61).empty());
  has_moved(state, out.front(), 14, 62);
  EXPECT_EQ(state.host_holds().ram_bytes, 14 * kGiB);
  EXPECT_EQ(who<Launch>(take_turn(state, 62)).size(), 1u);
}

TEST(PreemptSeveral, RoomThatServesTwoIsMadeOnce) {
  State state = moving_machine(1, 24);
  ask().vram(4).share(10).priority(kPriorityLow).submit(state, at_second(0));
  ask().vram(14).share(10).priority(kPriorityLow).submit(state, at_second(0));
  take_turn(state, 0);
  for (std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  ask().vram(6).share(10).priority(kPriorityUrgent).submit(state, at_second(60));
  EXPECT_EQ(who<MoveAside>(take_turn(state, 60)), JobNumbers{1});
  ask().vram(2).share(10).priority(kPriorityUrgent).submit(state, at_second(61));
  EXPECT_TRUE(take_turn(state, 61).empty())
      << "it fits beside the first when that one has its room";
  has_moved(state, 1, 4, 62);
  EXPECT_EQ(who<Launch>(take_turn(state, 62)), (JobNumbers{3, 4}));
}

TEST(PreemptSeveral, NobodyIsMovedForAJobWhoseCardAMoreImportantVictimWaitsFor) {
  State state = moving_machine(2, 24);
  ask().vram(15).share(43).priority(40).submit(state, at_second(0));
  ask().vram(1).share(20).priority(0).submit(state, at_second(0));
  take_turn(state, 0);
  for (std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  ASSERT_EQ(state.holds_on(0).vram_bytes, 16 * kGiB) << "both are on one card";
  ask().gpus(2).vram(1).share(48).priority(20).submit(state, at_second(60));
  ask().gpus(2).vram(8).share(23).priority(70).submit(state, at_second(60));
  EXPECT_EQ(who<MoveAside>(take_turn(state, 60)), JobNumbers{1})
      << "job 3 could not start without job 2 either: job 1 returns before it";
}

// As after a restart, when the cards are heard of one after the other.
TEST(PreemptSeveral, NobodyElseIsMovedWhileTheCardThatIsBeingLeftDoesNotAnswer) {
  State state = moving_machine(2, 24);
  state.set_host({.cpus = 32, .ram_bytes = 64 * kGiB});
  auto saving = ask().priority(kPriorityIdle);
  saving.spec().saves = std::make_shared<const SaveTerms>();
  saving.submit(state, at_second(0));
  take_turn(state, 0);
  ask().priority(kPriorityLow).submit(state, at_second(0));
  take_turn(state, 0);
  for (std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  ask().vram(20).priority(kPriorityUrgent).submit(state, at_second(60));
  ASSERT_EQ(who<AskToSave>(take_turn(state, 60)), JobNumbers{1});
  CardView view{.condition = CardCondition::kUnknown, .reason = "late", .at = at_second(61)};
  for (const CardNumber card : {CardNumber{0}, CardNumber{1}}) {
    apply(state, CardSeen{card, view}, at_second(61));
  }
  EXPECT_TRUE(take_turn(state, 61).empty());
  view = {.condition = CardCondition::kOk, .reason = {}, .at = at_second(62)};
  apply(state, CardSeen{CardNumber{1}, view}, at_second(62));
  EXPECT_TRUE(take_turn(state, 62).empty()) << "card 0 may answer before job 1 is gone";
}

// Two cards, each with a job, and an urgent one for which the less important of them leaves.
State one_of_two_saves() {
  State state = moving_machine(2, 24);
  state.set_host({.cpus = 32, .ram_bytes = 64 * kGiB});
  auto saving = ask().priority(kPriorityIdle);
  saving.spec().saves = std::make_shared<const SaveTerms>();
  saving.submit(state, at_second(0));
  take_turn(state, 0);
  ask().priority(kPriorityLow).submit(state, at_second(0));
  take_turn(state, 0);
  for (std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  ask().vram(20).priority(kPriorityUrgent).submit(state, at_second(60));
  EXPECT_EQ(who<AskToSave>(take_turn(state, 60)), JobNumbers{1});
  return state;
}

void answers(State& state, std::uint16_t card, std::int64_t second) {
  CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
  apply(state, CardSeen{CardNumber{card}, view}, at_second(second));
}

// As a daemon begins: what it has found, nobody has looked at yet.
void forget_looks(State& state) {
  std::vector<Card> found = state.cards();
  for (Card& card : found) card.usable = false;
  state.set_cards({});
  state.set_cards(std::move(found));
}

TEST(PreemptSeveral, NobodyElseIsMovedWhileTheCardThatIsBeingLeftWasNotHeardOfYet) {
  State state = one_of_two_saves();
  forget_looks(state);
  EXPECT_TRUE(take_turn(state, 61).empty());
  answers(state, 1, 62);
  EXPECT_TRUE(take_turn(state, 62).empty()) << "card 0 is being left, whatever it says";
  answers(state, 0, 63);
  EXPECT_TRUE(take_turn(state, 63).empty());
}

TEST(PreemptSeveral, NobodyElseIsMovedWhereTheOneThatLeftIsGoneBeforeItsCardIsHeardOf) {
  State state = one_of_two_saves();
  forget_looks(state);
  AttemptFinished saved{.attempt = {JobId{1}, 1}, .exit_code = 75, .ended_at = at_second(61).wall};
  apply(state, saved, at_second(61));
  answers(state, 1, 62);
  EXPECT_TRUE(who<MoveAside>(take_turn(state, 62)).empty()) << "card 0 may have room";
  answers(state, 0, 63);
  EXPECT_EQ(who<Launch>(take_turn(state, 63)), JobNumbers{3});
}

TEST(PreemptSeveral, ACardThatStaysSilentIsNotWaitedForAnyLonger) {
  State state = moving_machine(2, 24);
  state.set_host({.cpus = 32, .ram_bytes = 64 * kGiB});
  ask().priority(kPriorityLow).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  ASSERT_NE(given_on(*state.find(JobId{1}), CardNumber{0}), nullptr);
  ask().vram(20).priority(kPriorityUrgent).submit(state, at_second(60));
  const auto silent_at = [&](std::int64_t second) {
    CardView view{.condition = CardCondition::kUnknown, .reason = "late", .at = at_second(second)};
    apply(state, CardSeen{CardNumber{1}, view}, at_second(second));
  };
  for (const std::int64_t second : {60, 62, 69}) {
    silent_at(second);
    EXPECT_TRUE(take_turn(state, second).empty()) << second;
  }
  silent_at(70);
  EXPECT_EQ(who<MoveAside>(take_turn(state, 70)), JobNumbers{1});
}

TEST(PreemptSeveral, NobodyIsMovedWhereSomebodyIsBeingCancelled) {
  State state = moving_machine(1, 24);
  ask().vram(10).share(10).priority(kPriorityLow).submit(state, at_second(0));
  ask().vram(10).share(10).priority(kPriorityLow).submit(state, at_second(0));
  take_turn(state, 0);
  for (std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  apply(state, CancelAsked{ourselves(), {JobId{1}}, {}}, at_second(60));
  ask().vram(8).share(10).priority(kPriorityUrgent).submit(state, at_second(60));
  EXPECT_TRUE(take_turn(state, 60).empty());
}

TEST(PreemptSeveral, AGangThatCannotBeHelpedDoesNotKeepRoomFromThoseThatEndBeforeIt) {
  State state = moving_machine(2, 24);
  ask().priority(kPriorityUrgent).time(3600).submit(state, at_second(0));
  ask().priority(kPriorityLow).time(7200).submit(state, at_second(0));
  take_turn(state, 0);
  for (std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  ask().gpus(2).priority(kPriorityUrgent).submit(state, at_second(60));
  EXPECT_TRUE(take_turn(state, 60).empty()) << "an equal is in its way";
  ask().vram(20).time(600).priority(kPriorityUrgent).submit(state, at_second(61));
  EXPECT_EQ(who<MoveAside>(take_turn(state, 61)), JobNumbers{2});
  has_moved(state, 2, 1, 62);
  EXPECT_EQ(who<Launch>(take_turn(state, 62)), JobNumbers{4});
}

TEST(PreemptSeveral, RoomThatWasMadeForAJobIsNotLostToALaterGang) {
  State state = moving_machine(2, 24);
  ask().priority(kPriorityUrgent).submit(state, at_second(0));
  ask().priority(kPriorityLow).submit(state, at_second(0));
  take_turn(state, 0);
  for (std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  ask().vram(20).priority(kPriorityUrgent).submit(state, at_second(60));
  EXPECT_EQ(who<MoveAside>(take_turn(state, 60)), JobNumbers{2});
  ask().gpus(2).priority(kPriorityTop).submit(state, at_second(61));
  take_turn(state, 61);
  has_moved(state, 2, 1, 62);
  EXPECT_EQ(who<Launch>(take_turn(state, 62)), JobNumbers{3})
      << "nobody knows when the gang starts";
  run(state, 3, at_second(62));
  finish(state, 3, 0, at_second(100));
  EXPECT_EQ(who<BringBack>(take_turn(state, 100)), JobNumbers{2}) << "no card stays empty for it";
}

TEST(PreemptSeveral, WhoWantsToReturnMovesTheLessImportantAside) {
  State state = moving_machine(1, 24);
  ask().vram(20).priority(kPriorityUrgent).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  apply(state, PauseAsked{ourselves(), {JobId{1}}}, at_second(40));
  has_moved(state, 1, 20, 41);
  ask().vram(20).priority(kPriorityIdle).submit(state, at_second(42));
  starts_and_runs(state, 2, 42);
  apply(state, ResumeAsked{ourselves(), {JobId{1}}}, at_second(90));
  state.set_host({.cpus = 32, .ram_bytes = 512 * kGiB});
  EXPECT_EQ(who<MoveAside>(take_turn(state, 90)), JobNumbers{2});
  EXPECT_TRUE(take_turn(state, 91).empty());
  has_moved(state, 2, 20, 92);
  EXPECT_EQ(who<BringBack>(take_turn(state, 92)), JobNumbers{1});
  is_back(state, 1, 93);
  EXPECT_TRUE(take_turn(state, 94).empty());
  EXPECT_EQ(state.find(JobId{1})->moves, 0) << "a pause by hand is no move";
}

TEST(PreemptSeveral, APriorityThatFallsMeanwhileBringsTheVictimBack) {
  State state = moving_machine(1, 24);
  ask().priority(kPriorityLow).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  ask().vram(20).priority(kPriorityUrgent).submit(state, at_second(60));
  EXPECT_EQ(who<MoveAside>(take_turn(state, 60)), JobNumbers{1});
  change_priority(state, 2, kPriorityIdle, 61);
  has_moved(state, 1, 6, 62);
  EXPECT_EQ(who<BringBack>(take_turn(state, 62)), JobNumbers{1});
  is_back(state, 1, 63);
  EXPECT_EQ(state_of(state, 2), "queued");
}

TEST(PreemptSeveral, AVictimThatBecomesMoreImportantTakesItsPlaceBack) {
  State state = moving_machine(1, 24);
  state.set_host({.cpus = 32, .ram_bytes = 512 * kGiB});
  ask().priority(kPriorityLow).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  ask().vram(20).priority(kPriorityUrgent).submit(state, at_second(60));
  take_turn(state, 60);
  has_moved(state, 1, 6, 62);
  starts_and_runs(state, 2, 62);
  change_priority(state, 1, kPriorityTop, 100);
  change_priority(state, 2, kPriorityLow, 100);
  EXPECT_EQ(who<MoveAside>(take_turn(state, 100)), JobNumbers{2});
  has_moved(state, 2, 20, 101);
  EXPECT_EQ(who<BringBack>(take_turn(state, 101)), JobNumbers{1});
}

TEST(PreemptSeveral, AllCardsAreMadeRoomOnTogether) {
  State state = moving_machine(2, 24);
  for (int i = 0; i < 2; ++i) {
    ask().vram(20).priority(kPriorityLow).submit(state, at_second(0));
  }
  take_turn(state, 0);
  for (std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  state.set_host({.cpus = 32, .ram_bytes = 512 * kGiB});
  ask().all_gpus().vram(20).priority(kPriorityUrgent).submit(state, at_second(60));
  EXPECT_EQ(who<MoveAside>(take_turn(state, 60)), (JobNumbers{1, 2}));
}

TEST(PreemptSeveral, ARestartableJobNearItsEndIsWaitedFor) {
  for (const std::int64_t limit : {100, 1000}) {
    State state = machine(1, 24, 8, {});
    Ask asked = ask();
    asked.spec().restartable = true;
    asked.time(limit).priority(kPriorityLow).submit(state, at_second(0));
    starts_and_runs(state, 1, 0);
    ask().vram(20).priority(kPriorityUrgent).submit(state, at_second(80));
    const bool moves = !who<StopAttempt>(take_turn(state, 80)).empty();
    EXPECT_EQ(moves, limit == 1000) << "80 s of work for 20 s of waiting";
  }
}

TEST(PreemptSeveral, AfterAFailedMoveAnotherWayIsTakenAndTheMoveIsNotCounted) {
  State state = moving_machine(1, 24);
  Ask asked = ask();
  asked.spec().restartable = true;
  asked.priority(kPriorityLow).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  ask().vram(20).priority(kPriorityUrgent).submit(state, at_second(60));
  EXPECT_EQ(who<MoveAside>(take_turn(state, 60)), JobNumbers{1});
  MoveFailed failed{.attempt = state.find(JobId{1})->current_attempt()};
  failed.error = "its work on the card did not end";
  apply(state, failed, at_second(61));
  EXPECT_EQ(state.find(JobId{1})->moves, 0);
  EXPECT_EQ(who<StopAttempt>(take_turn(state, 62)), JobNumbers{1}) << "it may start over";
}

TEST(PreemptSeveral, WhoHasJustStartedIsNamedWithTheTimeFromWhichItMayBeMoved) {
  State state = moving_machine(1, 24);
  ask().priority(kPriorityLow).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  ask().vram(20).priority(kPriorityUrgent).submit(state, at_second(6));
  EXPECT_TRUE(take_turn(state, 6).empty());
  const auto why = why_waiting(state, *state.find(JobId{2}), at_second(6));
  ASSERT_FALSE(why.empty());
  expect_reason(ReasonCode::kRoomLater, why.front());
  EXPECT_TRUE(why.front().helps.empty()) << "nothing smaller has to be asked for";
  const Forecast forecast = look_ahead(excerpt_of(state, 100, at_second(6)));
  ASSERT_TRUE(forecast.starts.contains(JobId{2}));
  EXPECT_EQ(forecast.starts.at(JobId{2}).likely,
            at_second(30).wall + time_at(usual_rate_out(), 24 * kGiB));
}

TEST(Pause, WhatTheDriverWillNotMoveIsFrozen) {
  State state = moving_machine(1, 24);
  ask().priority(kPriorityLow).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  apply(state, PauseAsked{ourselves(), {JobId{1}}}, at_second(60));
  MoveFailed failed{.attempt = state.find(JobId{1})->current_attempt(), .never = true};
  failed.error = "not supported";
  const Applied applied = apply(state, failed, at_second(61));
  ASSERT_EQ(applied.effects.size(), 1u);
  EXPECT_FALSE(std::get<MoveAside>(applied.effects.front()).checkpoint);
  EXPECT_EQ(state_of(state, 1), "pausing");
  has_moved(state, 1, 0, 62);
  EXPECT_EQ(state_of(state, 1), "paused");
  EXPECT_EQ(aside_of(*state.find(JobId{1}))->mechanism, Mechanism::kFreeze);
}

TEST(Aside, IsNoTimeOnTheCards) {
  State state = moving_machine(1, 24);
  ask().priority(kPriorityLow).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  apply(state, PauseAsked{ourselves(), {JobId{1}}}, at_second(10));
  has_moved(state, 1, 6, 11);
  apply(state, ResumeAsked{ourselves(), {JobId{1}}}, at_second(50));
  take_turn(state, 50);
  is_back(state, 1, 52);
  AttemptFinished report{.attempt = state.find(JobId{1})->current_attempt(), .exit_code = 0};
  report.ended_at = at_second(60).wall;
  apply(state, report, at_second(60));
  const auto& ended = std::get<Ended>(state.find(JobId{1})->state);
  ASSERT_TRUE(usage_of(ended).gpu.has_value());
  EXPECT_DOUBLE_EQ(usage_of(ended).gpu->gpu_seconds, 18) << "10 before, 8 after";
}

}  // namespace
}  // namespace gpusched::testing
