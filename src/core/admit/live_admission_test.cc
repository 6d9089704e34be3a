// Admission with what is seen on the cards: foreign processes, memory that nobody owns up to, jobs
// that take more than they asked for, cards that do not answer.
#include <gtest/gtest.h>

#include "core/explain/explain.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;

SeenProcess process(int pid, double gib, std::optional<AttemptId> attempt = {}, double load = 0) {
  SeenProcess seen{.pid = pid};
  seen.vram_bytes = static_cast<std::uint64_t>(gib * static_cast<double>(kGiB));
  seen.load_percent = load;
  seen.attempt = attempt;
  seen.user = "lab";
  seen.command = "/usr/bin/vllm serve --model m";
  return seen;
}

class Look {
 public:
  explicit Look(std::int64_t second) { view_.at = at_second(second); }
  Look& at(SeenProcess seen) {
    view_.processes.push_back(std::move(seen));
    return *this;
  }
  Look& used(double gib) {
    view_.used_bytes = static_cast<std::uint64_t>(gib * static_cast<double>(kGiB));
    return *this;
  }
  Look& condition(CardCondition condition, std::string reason = {}) {
    view_.condition = condition;
    view_.reason = std::move(reason);
    return *this;
  }
  Look& energy(double joules) {
    view_.energy_joules = joules;
    return *this;
  }
  void on(State& state, std::uint16_t card = 0) {
    apply(state, CardSeen{CardNumber{card}, view_}, view_.at);
  }

 private:
  CardView view_{.condition = CardCondition::kOk, .reason = {}, .at = {}};
};

TEST(LiveAdmission, AForgottenScriptCostsItsMemoryAndNotACard) {
  State state = machine(1, 24);
  Look(0).at(process(4711, 0.6)).used(0.6).on(state);
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{1});
}

TEST(LiveAdmission, AJobThatSaysNothingDoesNotStartBesideALargeForeignProcess) {
  State state = machine(1, 24);
  Look(0).at(process(4711, 6)).on(state);
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{});
  Look(4).on(state);
  EXPECT_EQ(start_what_fits(state, at_second(4)), Jobs{1}) << "the exit admits at once";
}

TEST(LiveAdmission, NobodyWaitsForAForeignProcessThatMayStayForever) {
  State state = machine(1, 24);
  Look(0).at(process(4711, 6)).on(state);
  ask().submit(state, at_second(0));
  ask().vram(17).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(2)), Jobs{2});
}

TEST(LiveAdmission, CardsAreNotKeptFreeForAGangThatAForeignProcessKeepsWaiting) {
  State state = machine(2, 24);
  Look(0).at(process(4711, 20)).on(state, 1);
  ask().gpus(2).submit(state, at_second(0));
  ask().submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(2)), Jobs{2});
}

TEST(LiveAdmission, ADeclaredNeedFitsInWhatForeignProcessesLeave) {
  State state = machine(1, 24);
  Look(0).at(process(4711, 6)).on(state);
  ask().vram(18).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{1}) << "alone, without headroom";
  State full = machine(1, 24);
  Look(0).at(process(4711, 6.1)).on(full);
  ask().vram(18).submit(full, at_second(0));
  EXPECT_EQ(start_what_fits(full, at_second(1)), Jobs{});
}

TEST(LiveAdmission, SharingCountsForeignMemoryAndMemoryThatNobodyOwnsUpTo) {
  for (const bool listed : {true, false}) {
    State state = machine(1, 24);
    ask().vram(8).submit(state, at_second(0));
    start_what_fits(state, at_second(0));
    Look look(1);
    if (listed) look.at(process(4711, 7));
    look.used(7).on(state);
    ask().vram(8).submit(state, at_second(1));
    EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{}) << "8 + 7 + 8 + 1.2 headroom > 24";
    ask().vram(7).priority(60).submit(state, at_second(2));
    EXPECT_EQ(start_what_fits(state, at_second(2)), Jobs{3});
  }
}

TEST(LiveAdmission, AJobThatTakesMoreThanItAskedForCountsWithWhatItTakes) {
  State state = machine(1, 24);
  ask().vram(8).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const AttemptId first{JobId{1}, 1};
  Look(1).at(process(10, 6, first)).at(process(11, 8, first)).used(14).on(state);
  ask().vram(9).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{});
  // One that takes less is still held for in full.
  Look(2).at(process(10, 2, first)).used(2).on(state);
  ask().vram(15).priority(60).submit(state, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(2)), Jobs{});
}

TEST(LiveAdmission, AnAttemptThatHasEndedNoLongerCountsThoughTheListIsOlder) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const AttemptId first{JobId{1}, 1};
  Look(1).at(process(10, 20, first)).used(20).on(state);
  AttemptFinished ended{.attempt = first};
  ended.exit_code = 0;
  apply(state, ended, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(2)), Jobs{2});
}

TEST(LiveAdmission, OnACardThatDoesNotAnswerNothingStartsAndWhatRunsGoesOn) {
  State state = machine(1, 24);
  ask().vram(4).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  Look(1).condition(CardCondition::kUnknown, "the driver has not answered for 2000 ms").on(state);
  ask().vram(4).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{});
  EXPECT_EQ(state.counts().starting, 1U);
  expect_reason(ReasonCode::kNoSuchCard, reason_of(state, 2, at_second(1)));
  Look(2).on(state);
  EXPECT_EQ(start_what_fits(state, at_second(2)), Jobs{2});
}

TEST(LiveAdmission, WhatIsUnknownIsRememberedAsItWas) {
  State state = machine(1, 24);
  Look(0).at(process(4711, 20)).on(state);
  Look(1).condition(CardCondition::kUnknown, "late").on(state);
  EXPECT_EQ(state.holds_on(0).ungranted.vram_bytes, 20 * kGiB);
}

TEST(LiveAdmission, ACardThatIsGoneShowsNothingOfWhatItHad) {
  State state = machine(1, 24);
  Look(0).at(process(4711, 20, {}, 80)).used(20).on(state);
  Look(1).condition(CardCondition::kGone, "fell off the bus").on(state);
  EXPECT_TRUE(state.view_of(0).processes.empty());
  EXPECT_FALSE(state.view_of(0).used_bytes);
  EXPECT_EQ(state.holds_on(0).ungranted.vram_bytes, 0u);
  EXPECT_EQ(state.holds_on(0).ungranted.load_percent, 0);
}

TEST(LiveAdmission, TheReasonNamesWhoHoldsTheMemory) {
  State state = machine(1, 24);
  SeenProcess holder = process(4711, 21);
  holder.since = at_second(-7200).wall;
  Look(0).at(holder).on(state);
  ask().vram(9).submit(state, at_second(0));
  expect_reason(ReasonCode::kCards, reason_of(state, 1, at_second(0)));
}

TEST(AttemptUse, PeakMeanAndEnergyAreThoseSeen) {
  State state = machine(1, 24);
  ask().vram(8).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const AttemptId first{JobId{1}, 1};
  apply(state, AttemptRunning{first, at_second(0).wall}, at_second(0));
  Look(1).at(process(10, 2, first, 50)).energy(100).on(state);
  Look(2).at(process(10, 6, first, 50)).energy(150).on(state);
  Look(3).at(process(10, 4, first, 80)).energy(250).on(state);
  AttemptFinished ended{.attempt = first};
  ended.exit_code = 0;
  ended.ended_at = at_second(4).wall;
  apply(state, ended, at_second(4));
  const Usage& usage = usage_of(std::get<Ended>(state.find(JobId{1})->state));
  ASSERT_TRUE(usage.gpu);
  EXPECT_DOUBLE_EQ(usage.gpu->gpu_seconds, 4);
  EXPECT_EQ(usage.gpu->peak_vram_bytes, 6 * kGiB);
  EXPECT_EQ(usage.gpu->mean_vram_bytes, 5 * kGiB);
  EXPECT_DOUBLE_EQ(*usage.gpu->mean_busy_percent, 65);
  EXPECT_DOUBLE_EQ(*usage.gpu->energy_joules, 150);
  EXPECT_FALSE(usage.gpu->mean_sm_active_percent);
}

// The first job computes more than it asked for. When it ends all of that is free again.
TEST(LiveAdmission, WhoFitsBesideTheFirstInOrderOnceARunningJobEndsDoesNotWaitForIt) {
  State state = machine(1, 24);
  ask().vram(4).share(17).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  Look(1).at(process(1, 4, AttemptId{JobId{1}, 1}, 70)).on(state);
  ask().vram(2).share(30).submit(state, at_second(1));
  ask().vram(2).share(15).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{3}) << "70 + 15 now, 15 + 30 then";
}

// It computes less than it asked for. What it leaves unused is not free twice after its end.
TEST(LiveAdmission, NobodyDelaysTheFirstInOrderByWhatARunningJobLeavesUnused) {
  State state = machine(1, 24);
  ask().vram(2).share(60).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  for (std::int64_t second = 1; second <= 130; ++second) {
    Look(second).at(process(1, 2, AttemptId{JobId{1}, 1}, 5)).on(state);
  }
  ask().vram(2).share(86).submit(state, at_second(130));
  ask().vram(2).share(40).submit(state, at_second(130));
  EXPECT_EQ(start_what_fits(state, at_second(130)), Jobs{}) << "40 + 86 do not fit then";
  ask().vram(2).share(4).submit(state, at_second(130));
  EXPECT_EQ(start_what_fits(state, at_second(130)), Jobs{4}) << "4 + 86 do";
}

}  // namespace
}  // namespace gpusched::testing
