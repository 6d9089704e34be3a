// Jobs that grow beyond what they said, on a card that fills up: who leaves, who stands still, and
// that nobody dies of it.
#include "core/preempt/pressure.h"
#include "core/preempt/move_time.h"

#include <gtest/gtest.h>

#include "tests/support/card_play.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

TEST(Pressure, TwoJobsThatGrowBeyondTheCardBothLive) {
  for (const double rate : {0.5, 1.0, 2.0, 4.0, 8.0}) {
    State state = with_jobs(2);
    CardPlay play(state);
    play.add(1, 1, rate, 85);
    play.add(2, 1, rate, 85);
    play.run(600'000);
    EXPECT_EQ(play.died(), 0u) << rate << " GiB/s";
    EXPECT_EQ(play.ended(), 2u) << rate << " GiB/s";
  }
}

TEST(Pressure, FourJobsThatGrowOneAfterTheOtherAllLive) {
  for (const double rate : {1.0, 4.0}) {
    State state = with_jobs(4);
    CardPlay play(state);
    for (std::uint64_t job = 1; job <= 4; ++job) {
      play.add(job, 10, rate, 60 + 5 * static_cast<double>(job));
    }
    play.run(1'500'000);
    EXPECT_EQ(play.died(), 0u) << rate << " GiB/s";
    EXPECT_EQ(play.ended(), 4u) << rate << " GiB/s";
  }
}

// Up to the moment at which one leaves and the other stands still.
void fill_up(State& state, CardPlay& play, double rate = 4) {
  play.add(1, 20, rate, 85);
  play.add(2, 20, rate, 85);
  for (int i = 0; i < 3000 && state_of(state, 2) != "pausing"; ++i) play.run(10);
  ASSERT_EQ(state_of(state, 2), "pausing") << "the younger one leaves";
  ASSERT_TRUE(stands_still(*state.find(JobId{1})));
}

TEST(Pressure, WhoStandsStillKeepsItsPlaceAndSaysForWhom) {
  State state = with_jobs(2);
  CardPlay play(state);
  fill_up(state, play);
  expect_reason(ReasonCode::kStandsStill, reason_of(state, 1, play.now()));
  play.run(500);
  EXPECT_EQ(state_of(state, 1), "paused");
  EXPECT_EQ(state.holds_on(0).jobs, 2);
  EXPECT_EQ(held_by(*state.find(JobId{1})).cards.front().share_percent, 10);
  EXPECT_EQ(state.find(JobId{1})->moves, 0);
  for (int i = 0; i < 60'000 && !play.of(2).away; i += 10) play.run(10);
  EXPECT_EQ(state_of(state, 2), "paused");
  play.run(200);
  EXPECT_EQ(state_of(state, 1), "running");
  EXPECT_EQ(play.died(), 0u);
}

TEST(Pressure, ALoadedModelMovesNobodyWhileThereIsRoom) {
  State state = with_jobs(2);
  CardPlay play(state);
  play.add(1, 30, 0, 30);
  play.add(2, 0, 400, 50);  // More than it said, all of it between two looks.
  play.run(4000, 600'000);
  EXPECT_EQ(state_of(state, 2), "running");
  EXPECT_EQ(aside_of(*state.find(JobId{2})), nullptr) << "80 of 140 GiB are in use";
}

// Job 2 left under pressure. Small jobs come and go beside job 1, which grows no more.
TEST(Pressure, NewcomersDoNotKeepTheOneThatLeftAway) {
  State state = with_jobs(2);
  CardPlay play(state);
  constexpr int kLong = 600'000;
  play.add(1, 60, 16, 100);
  play.add(2, 30, 0, 30);
  for (int i = 0; i < 6000 && !play.of(2).away; ++i) play.run(10, kLong);
  ASSERT_EQ(state_of(state, 2), "paused");
  play.run(5000, kLong);
  std::uint64_t newest = 2;
  const auto one_more = [&] {
    ask().vram(1).share(5).submit(state, play.now());
    play.run(1500, kLong);
    ASSERT_EQ(state_of(state, ++newest), "starting") << "there is room beside the kept place";
    run(state, newest, play.now());
    play.add(newest, 1, 0, 1);
  };
  one_more();
  while (newest < 20 && state_of(state, 2) == "paused") {
    one_more();
    play.run(3000, kLong);
    play.end(newest - 1);
  }
  EXPECT_LT(newest, 15u) << "half a minute of calm is enough";
  EXPECT_EQ(play.died(), 0u);
}

TEST(Pressure, ItGoesOnWhenTheOtherEndsOnItsWay) {
  State state = with_jobs(2);
  CardPlay play(state);
  fill_up(state, play);
  play.run(500);
  play.end(2);
  play.run(500);
  EXPECT_EQ(state_of(state, 1), "running");
}

TEST(Pressure, ItGoesOnWhenTheMoveFailsAndTheOneThatCouldNotLeaveIsNotAskedAgainAtOnce) {
  State state = with_jobs(2);
  CardPlay play(state);
  fill_up(state, play);
  play.run(500);
  play.move_fails(2);
  EXPECT_EQ(state_of(state, 1), "resuming");
  play.run(1000);
  const Aside* next = aside_of(*state.find(JobId{1}));
  EXPECT_EQ(next->phase, AsidePhase::kPausing) << "the other is next";
  EXPECT_EQ(next->mechanism, Mechanism::kCheckpoint);
}

TEST(Pressure, ItGoesOnUnderTheNextDaemon) {
  for (const int after_ms : {0, 30, 500, 10'000}) {
    State state = with_jobs(2);
    CardPlay play(state);
    fill_up(state, play);
    play.run(after_ms);
    play.restart(large_card());
    play.run(600'000);
    EXPECT_EQ(play.died(), 0u) << after_ms;
    EXPECT_EQ(play.ended(), 2u) << after_ms;
  }
}

TEST(Pressure, NobodyStandsStillWhereNobodyCanLeave) {
  Rules off;
  off.preemption = Preemption::kOff;
  for (const bool never : {false, true}) {
    State state = large_card(never ? Rules{} : off);
    for (std::uint64_t job = 1; job <= 2; ++job) {
      Ask one = ask().vram(30).share(10);
      if (never) one.spec().preempt = PreemptPolicy::kNever;
      one.submit(state, at_second(0));
      take_turn(state, 0);
      run(state, job, at_second(0));
    }
    CardPlay play(state);
    play.add(1, 20, 4, 85);
    play.add(2, 20, 4, 85);
    for (int i = 0; i < 300; ++i) {
      play.run(100);
      if (play.died() > 0) break;
      ASSERT_FALSE(stands_still(*state.find(JobId{1})));
      ASSERT_FALSE(stands_still(*state.find(JobId{2})));
    }
    EXPECT_GT(play.died(), 0u) << "the card that is played does run out";
  }
}

TEST(Pressure, OneThatSaysNeverStandsStillButStays) {
  State state = large_card();
  for (std::uint64_t job = 1; job <= 2; ++job) {
    Ask one = ask().vram(30).share(10);
    if (job == 1) one.spec().preempt = PreemptPolicy::kNever;
    one.submit(state, at_second(0));
    take_turn(state, 0);
    run(state, job, at_second(0));
  }
  CardPlay play(state);
  fill_up(state, play, 8);
  play.run(600'000);
  EXPECT_EQ(play.died(), 0u);
  EXPECT_EQ(state.find(JobId{1})->moves, 0);
}

TEST(Pressure, WhoGrowsUpToWhatItAskedForMovesNobody) {
  State state = large_card();
  for (std::uint64_t job = 1; job <= 2; ++job) {
    ask().vram(60).share(10).submit(state, at_second(0));
    take_turn(state, 0);
    run(state, job, at_second(0));
  }
  CardPlay play(state);
  play.add(1, 1, 8, 60);
  play.add(2, 1, 8, 60);
  play.run(60'000);
  EXPECT_EQ(play.ended(), 2u);
  EXPECT_EQ(state.find(JobId{1})->moves + state.find(JobId{2})->moves, 0);
}

// Who was asked to start over for it would be back on the card at once, again and again.
TEST(Pressure, NobodyJoinsAJobThatGrowsBeyondWhatItAskedFor) {
  State state = large_card();
  ask().vram(30).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  testing::run(state, 1, at_second(0));
  const auto see = [&](std::uint64_t gib, std::int64_t second) {
    CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
    SeenProcess seen{.pid = 7};
    seen.vram_bytes = gib * kGiB;
    seen.attempt = AttemptId{JobId{1}, 1};
    view.processes = {seen};
    view.used_bytes = gib * kGiB;
    apply(state, CardSeen{CardNumber{0}, view}, view.at);
  };
  see(35, 1);
  see(40, 2);
  ask().vram(5).submit(state, at_second(2));
  EXPECT_TRUE(start_what_fits(state, at_second(2)).empty());
  const auto why = why_waiting(state, *state.find(JobId{2}), at_second(2));
  ASSERT_FALSE(why.empty());
  expect_reason(ReasonCode::kCards, why.front());
  see(40, 3);
  see(40, 4);
  EXPECT_EQ(start_what_fits(state, at_second(4)).size(), 1U) << "it has what it wants";
}

TEST(Pressure, WhoLeftReturnsWhenTheOthersAreCalmWhateverTheClockSays) {
  constexpr int kLong = 10'000'000;
  for (const Seconds back : {Seconds{0}, Seconds{24 * 3600}}) {
    State state = with_jobs(2);
    CardPlay play(state);
    play.add(1, 60, 8, 90);
    play.add(2, 40, 0, 40);
    for (int i = 0; i < 6000 && !play.of(2).away; ++i) play.run(10, kLong);
    ASSERT_TRUE(play.of(2).away);
    play.set_clock_back(back);
    play.run(60'000, kLong);
    EXPECT_EQ(state_of(state, 2), "running") << back.count() << " s";
  }
}

TEST(Pressure, AClockThatIsSetBackKeepsNobodyOnTheCard) {
  State state = with_jobs(2);
  CardPlay play(state);
  fill_up(state, play);
  play.run(500);
  play.move_fails(2);
  play.set_clock_back(Seconds{24 * 3600});
  play.run(600'000);
  EXPECT_EQ(play.died(), 0u);
  EXPECT_EQ(play.ended(), 2u);
}

TEST(Pressure, AShortStopIsNoMove) {
  State state = with_jobs(2);
  CardPlay play(state);
  fill_up(state, play);
  play.run(500);
  play.end(2);
  play.run(500);
  const Job& job = *state.find(JobId{1});
  ASSERT_EQ(state_of(state, 1), "running");
  EXPECT_LT(movable_from(state, std::get<Running>(job.state), play.now()),
            play.now().wall + state.rules().room.run_least)
      << "no cool-down";
}

}  // namespace
}  // namespace gpusched::testing
