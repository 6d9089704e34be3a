// Idle holders: leases and jobs that leave for whoever waits, and how they come back.
#include "core/preempt/idle_holder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/explain/explain.h"
#include "core/model/reason.h"
#include "tests/support/core_words.h"
#include "tests/support/room_builders.h"

namespace gpusched::testing {
namespace {

const Principal kAdministrator = ourselves();
constexpr int kHolderPid = 4711;

// One card, and lease 1 on it, which has done nothing since second 0.
class IdleHolder : public ::testing::Test {
 protected:
  IdleHolder() : state_(card_that_moves()) {
    Ask lease = ask().priority(75);
    lease.spec().lease = std::make_shared<LeaseTerms>(LeaseTerms{
        .by_connection = false, .pid = kHolderPid, .pid_started = 99, .application = "notebook"});
    lease.spec().argv.clear();
    SubmitAsked asked = lease_event(lease);
    apply(state_, asked, at_second(0));
    take_turn(state_, 0);
  }

  static SubmitAsked lease_event(Ask& lease) {
    lease.spec().argv = {"lease"};  // The builder wants one.
    SubmitAsked asked = lease.event();
    auto spec = std::make_shared<JobSpec>(*asked.spec);
    spec->argv.clear();
    asked.spec = std::move(spec);
    return asked;
  }
  static State card_that_moves() {
    Rules rules;
    rules.room.idle_after = Seconds{600};
    State state = moving_machine(1, 24, rules);
    return state;
  }

  void see(std::int64_t second, bool idle, std::uint64_t job = 1) {
    CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
    SeenProcess seen{.pid = kHolderPid};
    seen.vram_bytes = 10 * kGiB;
    seen.attempt = attempt_of(job);
    if (idle) seen.idle_since = at_second(0).wall;
    view.processes = {seen};
    apply(state_, CardSeen{CardNumber{0}, view}, view.at);
  }
  void see_nothing(std::int64_t second) {
    const CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
    apply(state_, CardSeen{CardNumber{0}, view}, view.at);
  }
  AttemptId attempt_of(std::uint64_t job) { return state_.find(JobId{job})->current_attempt(); }
  std::string state_word(std::uint64_t job) { return state_name(state_.find(JobId{job})->state); }

  // It is aside for job 2, which runs.
  void move_aside() {
    ask().vram(20).priority(30).submit(state_, at_second(700));
    see(700, true);
    const auto effects = take_turn(state_, 700);
    ASSERT_EQ(who<MoveAside>(effects), JobNumbers{1});
    EXPECT_TRUE(std::get<MoveAside>(effects.front()).awake) << "its holder is not ours to freeze";
    apply(state_, MovedAside{attempt_of(1), {}, 10 * kGiB}, at_second(701));
    see_nothing(702);
    ASSERT_EQ(who<Launch>(take_turn(state_, 702)), JobNumbers{2});
    run(state_, 2, at_second(702));
    ASSERT_EQ(state_word(1), "paused");
  }
  // Job 2 ends, and job 3 of the lease's own band wants the card as well.
  std::vector<Effect> free_the_card(std::int64_t second) {
    ask().vram(20).priority(75).submit(state_, at_second(second - 1));
    finish(state_, 2, 0, at_second(second));
    return take_turn(state_, second);
  }

  // What the edge says to what was ordered of the lease.
  void answer_order(std::int64_t second, bool fails) {
    const auto phase = aside_phase(*state_.find(JobId{1}));
    const Now now = at_second(second);
    if (phase == AsidePhase::kPausing && fails) {
      apply(state_, MoveFailed{attempt_of(1), MoveLeft::kRunning, false, "busy"}, now);
    } else if (phase == AsidePhase::kPausing) {
      apply(state_, MovedAside{attempt_of(1), {}, 10 * kGiB}, now);
      see_nothing(second);
    } else if (phase == AsidePhase::kResuming && fails) {
      apply(state_, MoveFailed{attempt_of(1), MoveLeft::kAside, false, "no room"}, now);
    } else if (phase == AsidePhase::kResuming) {
      apply(state_, BroughtBack{attempt_of(1), {}}, now);
    }
  }

  State state_;
};

TEST_F(IdleHolder, ALeaseLeavesForALessImportantJobOnlyWhenItSitsIdle) {
  ask().vram(20).priority(30).submit(state_, at_second(100));
  see(700, false);
  EXPECT_TRUE(take_turn(state_, 700).empty()) << "it works";
  see(701, true);
  EXPECT_EQ(who<MoveAside>(take_turn(state_, 701)), JobNumbers{1});
}

TEST_F(IdleHolder, ALeaseThatWorksStaysHoweverUrgentTheOtherIs) {
  ask().vram(20).priority(100).submit(state_, at_second(100));
  see(700, false);
  EXPECT_TRUE(take_turn(state_, 700).empty());
}

TEST_F(IdleHolder, WithoutAKnownProcessItStays) {
  Job job = *state_.find(JobId{1});
  auto spec = std::make_shared<JobSpec>(*job.spec);
  spec->lease = std::make_shared<LeaseTerms>(*spec->lease);
  spec->lease->pid_started = 0;
  job.spec = spec;
  state_.put(job, at_second(1));
  ask().vram(20).submit(state_, at_second(100));
  see(700, true);
  EXPECT_TRUE(take_turn(state_, 700).empty());
  const Applied paused = apply(state_, PauseAsked{kAdministrator, {JobId{1}}}, at_second(701));
  EXPECT_TRUE(paused.effects.empty());
  expect_unchanged(1, paused.answer);
}

TEST_F(IdleHolder, WhileItSleepsThoseWhoWaitGoFirst) {
  move_aside();
  expect_reason(ReasonCode::kMovedAside, reason_of(state_, 1, at_second(703)));
  EXPECT_EQ(who<Launch>(free_the_card(800)), JobNumbers{3})
      << "of its own band, but it is not missed";
  run(state_, 3, at_second(800));
  finish(state_, 3, 0, at_second(900));
  EXPECT_EQ(who<BringBack>(take_turn(state_, 900)), JobNumbers{1}) << "nobody waits any more";
}

TEST_F(IdleHolder, ComesBackBeforeItsBandWhenItsProcessIsActive) {
  move_aside();
  apply(state_, HolderActive{attempt_of(1)}, at_second(710));
  apply(state_, HolderActive{attempt_of(1)}, at_second(711));
  int told = 0;
  for (const TrailEntry& entry : state_.changes().trail) {
    told += entry.text.find("active again") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(told, 1) << "said once";
  const auto effects = free_the_card(800);
  EXPECT_EQ(who<BringBack>(effects), JobNumbers{1});
  apply(state_, BroughtBack{attempt_of(1), {}}, at_second(801));
  EXPECT_EQ(state_word(1), "running");
  EXPECT_FALSE(is_aside(*state_.find(JobId{1})));
}

TEST_F(IdleHolder, ComesBackBeforeItsBandOnRequest) {
  move_aside();
  const Applied asked = apply(state_, ResumeAsked{kAdministrator, {JobId{1}}}, at_second(710));
  EXPECT_EQ(std::get<Changed>(asked.answer).jobs, std::vector{JobId{1}});
  EXPECT_EQ(who<BringBack>(free_the_card(800)), JobNumbers{1});
}

TEST_F(IdleHolder, PausedByHandItDoesNotMindItsOwnActivity) {
  move_aside();
  apply(state_, PauseAsked{kAdministrator, {JobId{1}}}, at_second(705));
  apply(state_, HolderActive{attempt_of(1)}, at_second(710));
  finish(state_, 2, 0, at_second(800));
  EXPECT_TRUE(take_turn(state_, 800).empty());
  apply(state_, ResumeAsked{kAdministrator, {JobId{1}}}, at_second(801));
  EXPECT_EQ(who<BringBack>(take_turn(state_, 801)), JobNumbers{1});
}

TEST_F(IdleHolder, ALeaseGivenUpAsideComesBackBeforeItEnds) {
  move_aside();
  apply(state_, LeaseReleaseAsked{kAdministrator, {JobId{1}}}, at_second(710));
  EXPECT_EQ(state_word(1), "paused") << "its process would have no way back";
  finish(state_, 2, 0, at_second(800));
  EXPECT_EQ(who<BringBack>(take_turn(state_, 800)), JobNumbers{1});
  apply(state_, BroughtBack{attempt_of(1), {}}, at_second(801));
  EXPECT_EQ(state_word(1), "completed");
}

TEST_F(IdleHolder, ALeaseCancelledAsideEndsAsCancelledWhenItIsBack) {
  move_aside();
  apply(state_, CancelAsked{kAdministrator, {JobId{1}}, {}}, at_second(710));
  EXPECT_EQ(who<BringBack>(free_the_card(800)), JobNumbers{1});
  apply(state_, BroughtBack{attempt_of(1), {}}, at_second(801));
  EXPECT_EQ(state_word(1), "cancelled");
}

TEST_F(IdleHolder, AHolderThatDiesAsideEndsItsLeaseAtOnce) {
  move_aside();
  apply(state_, LeaseHolderGone{JobId{1}, "its holder has ended"}, at_second(710));
  EXPECT_EQ(state_word(1), "completed");
  EXPECT_EQ(who<Launch>(free_the_card(800)), JobNumbers{3});
}

TEST_F(IdleHolder, AConnectionThatDoesNotComeBackMayLeaveAProcessToBeBroughtBack) {
  move_aside();
  apply(state_, LeaseHolderGone{JobId{1}, "its connection ended", true}, at_second(710));
  EXPECT_EQ(state_word(1), "paused");
  EXPECT_EQ(who<BringBack>(free_the_card(800)), JobNumbers{1});
}

TEST_F(IdleHolder, WhatTheDriverRefusesIsRememberedOfThisLeaseAlone) {
  ask().vram(20).priority(30).submit(state_, at_second(700));
  see(700, true);
  take_turn(state_, 700);
  apply(state_, MoveFailed{attempt_of(1), MoveLeft::kRunning, true, "not supported"},
        at_second(701));
  EXPECT_EQ(state_word(1), "running");
  see(2000, true);
  EXPECT_TRUE(take_turn(state_, 2000).empty()) << "not tried again";
  for (const auto& [key, known] : state_.estimates().of(state_.find(JobId{1})->signature)) {
    EXPECT_FALSE(known.past.refuses_moves) << "other leases of this user may be moved";
  }
}

TEST_F(IdleHolder, AHolderOfTwoLeasesIsLeftAlone) {
  apply(state_, LeaseReleaseAsked{kAdministrator, {JobId{1}}}, at_second(1));
  for (int i = 0; i < 2; ++i) {
    Ask lease = ask().vram(4);
    lease.spec().lease =
        std::make_shared<LeaseTerms>(LeaseTerms{.pid = kHolderPid, .pid_started = 99});
    apply(state_, lease_event(lease), at_second(2));
  }
  take_turn(state_, 2);
  ASSERT_EQ(state_word(3), "running");
  ask().vram(20).submit(state_, at_second(100));
  see(700, true, 2);
  EXPECT_TRUE(take_turn(state_, 700).empty());
}

TEST_F(IdleHolder, WithReturnOnUseOffItWaitsLikeAnyOther) {
  Rules rules = state_.rules();
  rules.room.return_on_use = false;
  Aside aside{.why = AsideWhy::kIdle};
  EXPECT_FALSE(is_asleep(rules.room, aside));
  rules.room.return_on_use = true;
  EXPECT_TRUE(is_asleep(rules.room, aside));
  aside.wanted = true;
  EXPECT_FALSE(is_asleep(rules.room, aside));
}

// Whatever is asked and reported in whatever order: once there is room for all and every order is
// answered, the lease is on its cards or over, and its process is not left aside.
RC_GTEST_FIXTURE_PROP(IdleHolder, IsNeverLeftAside, ()) {
  std::int64_t second = 700;
  const auto finish_running = [&] {
    for (const JobId id : std::set<JobId>(state_.active())) {
      if (id != JobId{1}) finish(state_, number_of(id), 0, at_second(second));
    }
  };
  const auto start_all = [&](const std::vector<Effect>& effects) {
    for (const std::uint64_t id : who<Launch>(effects)) run(state_, id, at_second(second));
  };
  const int steps = *rc::gen::inRange(5, 60);
  for (int i = 0; i < steps; ++i) {
    second += *rc::gen::inRange(1, 400);
    switch (*rc::gen::inRange(0, 9)) {
      case 0:
        ask()
            .vram(20)
            .priority(*rc::gen::element(10, 30, 50, 75, 90))
            .submit(state_, at_second(second));
        break;
      case 1:
        if (!is_aside(*state_.find(JobId{1}))) see(second, *rc::gen::arbitrary<bool>());
        break;
      case 2:
        answer_order(second, *rc::gen::inRange(0, 4) == 0);
        break;
      case 3:
        apply(state_, HolderActive{attempt_of(1)}, at_second(second));
        break;
      case 4:
        apply(state_, ResumeAsked{kAdministrator, {JobId{1}}}, at_second(second));
        break;
      case 5:
        apply(state_, PauseAsked{kAdministrator, {JobId{1}}}, at_second(second));
        break;
      case 6:
        if (*rc::gen::inRange(0, 4) == 0) {
          apply(state_, LeaseReleaseAsked{kAdministrator, {JobId{1}}}, at_second(second));
        }
        break;
      case 7:
        finish_running();
        break;
      default:
        apply(state_, TimePassed{}, at_second(second));
        break;
    }
    start_all(take_turn(state_, second));
  }
  apply(state_, ResumeAsked{kAdministrator, {JobId{1}}}, at_second(second));
  for (int i = 0; i < 200 && is_aside(*state_.find(JobId{1})); ++i) {
    second += 30;
    answer_order(second, false);
    finish_running();
    start_all(take_turn(state_, second));
  }
  RC_ASSERT(!is_aside(*state_.find(JobId{1})));
}

}  // namespace
}  // namespace gpusched::testing
