// The return of jobs that are aside: nobody waits for ever, and whoever waits says for what.
#include <gtest/gtest.h>

#include "core/explain/explain.h"
#include "tests/support/core_words.h"
#include "tests/support/room_builders.h"

namespace gpusched::testing {
namespace {

void pause(State& state, std::uint64_t job, std::int64_t second) {
  apply(state, PauseAsked{ourselves(), {JobId{job}}}, at_second(second));
}
void resume(State& state, std::uint64_t job, std::int64_t second) {
  apply(state, ResumeAsked{ourselves(), {JobId{job}}}, at_second(second));
}
// The driver does not move it, so it is frozen where it is.
void cannot_be_moved(State& state, std::uint64_t job, std::int64_t second) {
  const AttemptId attempt = state.find(JobId{job})->current_attempt();
  apply(state, MoveFailed{attempt, MoveLeft::kRunning, false, "not now"}, at_second(second));
  apply(state, MovedAside{attempt, {}, 0}, at_second(second));
  ASSERT_EQ(aside_of(*state.find(JobId{job}))->mechanism, Mechanism::kFreeze);
  ASSERT_EQ(state_of(state, job), "paused");
}
// Job 1 was moved out of the card's memory, job 2 came after it and is frozen there.
State one_out_one_frozen(const Ask& first, const Ask& second) {
  State state = moving_machine(1, 24);
  first.submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  pause(state, 1, 1);
  has_moved(state, 1, 3, 2);
  second.submit(state, at_second(2));
  starts_and_runs(state, 2, 2);
  pause(state, 2, 3);
  cannot_be_moved(state, 2, 4);
  return state;
}

TEST(Resume, AJobThatTurnsOutToBeAsideWaitsThereForTheNextTry) {
  State state = moving_machine(1, 24);
  ask().vram(4).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  // As after a loss: the store believed it on its cards, and to bring it back did not work.
  const AttemptId attempt = state.find(JobId{1})->current_attempt();
  apply(state, MoveFailed{attempt, MoveLeft::kAside, false, "no room"}, at_second(5));
  ASSERT_EQ(state_of(state, 1), "paused");
  EXPECT_EQ(who<BringBack>(take_turn(state, 60)), JobNumbers{1}) << "nobody else is there";
  apply(state, BroughtBack{attempt, {}}, at_second(61));
  EXPECT_EQ(state_of(state, 1), "running");
}

TEST(Resume, AReportOfAJobThatIsWhereItShouldBeChangesNothing) {
  State state = moving_machine(1, 24);
  ask().vram(4).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  const AttemptId attempt = state.find(JobId{1})->current_attempt();
  apply(state, MoveFailed{attempt, MoveLeft::kRunning, false, "busy"}, at_second(5));
  EXPECT_EQ(state_of(state, 1), "running");
}

TEST(Resume, AFrozenJobDoesNotWaitForOneThatWaitsForItsMemory) {
  State state = one_out_one_frozen(ask(), ask());
  resume(state, 1, 5);
  resume(state, 2, 5);
  expect_reason(ReasonCode::kMovedAside, reason_of(state, 1, at_second(5)));
  EXPECT_EQ(who<BringBack>(take_turn(state, 5)), JobNumbers{2});
  is_back(state, 2, 6);
  EXPECT_TRUE(take_turn(state, 6).empty());
  expect_reason(ReasonCode::kMovedAside, reason_of(state, 1, at_second(6)));
  finish(state, 2, 0, at_second(7));
  EXPECT_EQ(who<BringBack>(take_turn(state, 7)), JobNumbers{1});
}

TEST(Resume, TheFrozenOneGoesOnFirstWhateverItsBand) {
  State state = one_out_one_frozen(ask().priority(90), ask().priority(10));
  ask().priority(50).submit(state, at_second(5));
  resume(state, 1, 5);
  resume(state, 2, 5);
  EXPECT_EQ(who<BringBack>(take_turn(state, 5)), JobNumbers{2});
}

TEST(Resume, WhoFitsBesideAFrozenJobDoesNotWaitForIt) {
  State state = one_out_one_frozen(ask().vram(10).share(60), ask().vram(10).share(60));
  resume(state, 1, 5);
  resume(state, 2, 5);
  EXPECT_EQ(who<BringBack>(take_turn(state, 5)), JobNumbers{1}) << "the older one is first";
  is_back(state, 1, 6);
  EXPECT_TRUE(take_turn(state, 6).empty()) << "both at once are too much for the card";
  finish(state, 1, 0, at_second(7));
  EXPECT_EQ(who<BringBack>(take_turn(state, 7)), JobNumbers{2});
}

TEST(Resume, TwoFrozenJobsOfWhichOneIsAboveTheCapGoOn) {
  State state = machine(1, 24);  // Its driver moves nobody.
  ask().vram(4).share(95).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  pause(state, 1, 1);
  has_moved(state, 1, 0, 1);
  ask().vram(4).share(50).submit(state, at_second(2));
  starts_and_runs(state, 2, 2);
  pause(state, 2, 3);
  has_moved(state, 2, 0, 3);
  resume(state, 1, 5);
  resume(state, 2, 5);
  EXPECT_EQ(who<BringBack>(take_turn(state, 5)), JobNumbers{1});
}

TEST(Resume, NoPlaceIsKeptForOneThatWaitsForAJobPausedByHand) {
  State state = moving_machine(1, 24);
  ask().submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  pause(state, 1, 1);
  has_moved(state, 1, 3, 2);
  ask().vram(8).submit(state, at_second(2));
  starts_and_runs(state, 2, 2);
  pause(state, 2, 3);
  cannot_be_moved(state, 2, 4);
  resume(state, 1, 5);
  expect_reason(ReasonCode::kMovedAside, reason_of(state, 1, at_second(5)));
  ask().vram(8).submit(state, at_second(6));
  EXPECT_EQ(who<Launch>(take_turn(state, 6)), JobNumbers{3}) << "nobody knows when job 1 returns";
}

// Job 1 is aside and waits for job 2 to end; job 3 would fit beside job 2 now.
TEST(Resume, WhoWaitsBehindAPlaceThatIsKeptSaysForWhomAndIsToldNothingThatDoesNotHelp) {
  State state = moving_machine(1, 24);
  ask().vram(16).share(20).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  pause(state, 1, 1);
  has_moved(state, 1, 16, 2);
  ask().vram(12).share(20).submit(state, at_second(2));
  starts_and_runs(state, 2, 2);
  resume(state, 1, 3);
  ask().vram(8).share(20).submit(state, at_second(4));
  EXPECT_TRUE(take_turn(state, 4).empty());
  expect_reason(ReasonCode::kKept, reason_of(state, 3, at_second(4)));
  EXPECT_EQ(what_would_help(reason_of(state, 3, at_second(5))), "");
  ask().vram(14).share(20).submit(state, at_second(5));
  EXPECT_TRUE(take_turn(state, 5).empty());
  EXPECT_EQ(what_would_help(reason_of(state, 4, at_second(5))), "") << "nor would less memory";
  finish(state, 2, 0, at_second(6));
  EXPECT_EQ(who<BringBack>(take_turn(state, 6)), JobNumbers{1});
}

void others_compute(State& state, std::uint16_t card, double load, std::int64_t second) {
  SeenProcess process{.pid = 77};
  process.vram_bytes = kGiB;
  process.load_percent = load;
  CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
  view.processes = {process};
  apply(state, CardSeen{CardNumber{card}, view}, view.at);
}

TEST(Resume, WhoIsKeptAwayByForeignLoadSaysSo) {
  State state = moving_machine(1, 24);
  ask().submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  pause(state, 1, 1);
  has_moved(state, 1, 6, 2);
  others_compute(state, 0, 50, 3);
  resume(state, 1, 4);
  EXPECT_TRUE(take_turn(state, 4).empty());
  expect_reason(ReasonCode::kMovedAside, reason_of(state, 1, at_second(4)));
}

TEST(Resume, OfSeveralCardsTheOneThatHasNoRoomIsNamed) {
  State state = moving_machine(2, 24);
  ask().gpus(2).vram(16).share(20).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  pause(state, 1, 1);
  has_moved(state, 1, 20, 2);
  const auto on = [](std::uint16_t card, std::uint64_t gib) {
    Ask one = ask().vram(gib).share(10);
    one.spec().needs.cards = CardFilter{.only = {{CardNumber{card}}, {}}};
    return one;
  };
  on(0, 2).submit(state, at_second(2));
  starts_and_runs(state, 2, 2);
  on(1, 20).submit(state, at_second(2));
  starts_and_runs(state, 3, 2);
  resume(state, 1, 4);
  EXPECT_TRUE(take_turn(state, 4).empty());
  expect_reason(ReasonCode::kMovedAside, reason_of(state, 1, at_second(4)));
}

TEST(Resume, AStormOfPausesLeavesNobodyBehind) {
  State state = moving_machine(1, 24);
  // Each comes when the one before has left the card. The first two want it whole; of the others
  // every second one cannot be moved out.
  for (std::uint64_t job = 1; job <= 12; ++job) {
    Ask one = job <= 2 ? ask() : ask().vram(job % 3 == 0 ? 2 : 1).share(job % 2 == 0 ? 70 : 80);
    one.submit(state, at_second(0));
    starts_and_runs(state, job, 0);
    pause(state, job, 1);
    if (job > 2 && job % 2 == 0) {
      cannot_be_moved(state, job, 1);
    } else {
      has_moved(state, job, 1, 1);
    }
  }
  for (std::uint64_t job = 1; job <= 12; ++job) resume(state, job, 2);
  std::int64_t second = 10;
  std::size_t ended = 0;
  for (; ended < 12 && second < 100; ++second) {
    const auto effects = take_turn(state, second);
    const JobNumbers back = who<BringBack>(effects);
    ASSERT_FALSE(back.empty()) << "an idle card, and everybody waits";
    for (const std::uint64_t job : back) {
      is_back(state, job, second);
      finish(state, job, 0, at_second(second));
      ++ended;
    }
  }
  EXPECT_EQ(ended, 12u);
}

// --- What is seen on a card counts, whatever is believed of its job ---------------------------

CardSeen look(const State& state, std::uint64_t job, std::uint64_t gib, std::int64_t second) {
  CardSeen seen{CardNumber{0}, {}};
  seen.view.condition = CardCondition::kOk;
  seen.view.at = at_second(second);
  seen.view.used_bytes = gib * kGiB;
  if (gib > 0) {
    seen.view.processes.push_back({.pid = 100,
                                   .vram_bytes = gib * kGiB,
                                   .attempt = state.find(JobId{job})->current_attempt()});
  }
  return seen;
}

TEST(SeenWhileAway, MemoryOfAJobThatShouldBeAwayCounts) {
  State state = moving_machine(1, 24);
  ask().vram(10).submit(state, at_second(0));
  apply(state, look(state, 1, 0, 0), at_second(0));
  starts_and_runs(state, 1, 0);
  apply(state, look(state, 1, 10, 1), at_second(1));
  pause(state, 1, 2);
  has_moved(state, 1, 10, 3);
  EXPECT_EQ(state.holds_on(0).ungranted.vram_bytes, 0u) << "the look is older than its leaving";
  apply(state, look(state, 1, 10, 4), at_second(4));
  EXPECT_EQ(state.holds_on(0).ungranted.vram_bytes, 10 * kGiB);
  ask().vram(20).submit(state, at_second(5));
  EXPECT_TRUE(take_turn(state, 5).empty());
  const auto why = why_waiting(state, *state.find(JobId{2}), at_second(5));
  ASSERT_FALSE(why.empty());
  EXPECT_EQ(why.front().jobs, std::vector<JobId>{JobId{1}});
  apply(state, look(state, 1, 0, 6), at_second(6));
  EXPECT_EQ(who<Launch>(take_turn(state, 6)), JobNumbers{2});
}

TEST(SeenWhileAway, ItsOwnMemoryDoesNotKeepAJobFromReturning) {
  State state = moving_machine(1, 24);
  ask().vram(20).submit(state, at_second(0));
  apply(state, look(state, 1, 0, 0), at_second(0));
  starts_and_runs(state, 1, 0);
  pause(state, 1, 2);
  has_moved(state, 1, 20, 3);
  apply(state, look(state, 1, 20, 4), at_second(4));
  resume(state, 1, 5);
  EXPECT_EQ(who<BringBack>(take_turn(state, 5)), JobNumbers{1});
}

}  // namespace
}  // namespace gpusched::testing
