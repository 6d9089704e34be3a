// Admission while jobs run: the ramp, load that is seen, memory that settles, pressure; and that
// holds never exceed cap or headroom whatever happens.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/admit/admission.h"
#include "core/apply/learn.h"
#include "core/explain/excerpt.h"
#include "core/explain/explain.h"
#include "core/explain/look_ahead.h"
#include "core/place/placement.h"
#include "core/state/belief.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;

class Looks {
 public:
  explicit Looks(State& state) : state_(state) {}
  Looks& with(std::uint64_t job, double gib, std::optional<double> load) {
    SeenProcess seen{.pid = static_cast<int>(job)};
    seen.vram_bytes = static_cast<std::uint64_t>(gib * static_cast<double>(kGiB));
    seen.load_percent = load;
    if (job < 1000) seen.attempt = state_.find(JobId{job})->current_attempt();
    processes_.push_back(seen);
    return *this;
  }
  void at(std::int64_t second) {
    CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
    view.processes = std::exchange(processes_, {});
    apply(state_, CardSeen{CardNumber{0}, view}, view.at);
  }

 private:
  State& state_;
  std::vector<SeenProcess> processes_;
};

TEST(Ramp, TenJobsStartedInOneSecondAreNotAdmittedAgainstTheSameLoad) {
  State state = machine(1, 24);
  for (int i = 0; i < 10; ++i) ask().vram(1).share(30).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), (Jobs{1, 2, 3}));
  Looks(state).with(1, 0.1, 0).with(2, 0.1, 0).with(3, 0.1, 0).at(1);
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{}) << "they have not shown anything yet";
}

TEST(Ramp, EndsWithTimeAndThenTheLoadThatIsSeenCounts) {
  State state = machine(1, 24);
  for (int i = 0; i < 4; ++i) ask().vram(2).share(45).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), (Jobs{1, 2}));
  for (int second = 1; second <= 120; ++second) {
    Looks(state).with(1, 1, 10).with(2, 1, 10).at(second);
    ASSERT_EQ(start_what_fits(state, at_second(second)), Jobs{}) << second;
  }
  Looks(state).with(1, 1, 10).with(2, 1, 10).at(121);
  EXPECT_EQ(start_what_fits(state, at_second(121)), Jobs{3}) << "10 + 10 + 45; with a fourth 110";
}

TEST(Ramp, EndsWhenAJobHasShownItsMemoryAndItsLoad) {
  State state = machine(1, 24);
  for (int i = 0; i < 2; ++i) ask().vram(2).share(50).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{1});
  Looks(state).with(1, 1.9, 0).at(1);
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{}) << "memory alone is not all";
  Looks(state).with(1, 1.9, 46).at(2);
  Looks(state).with(1, 1.9, 10).at(600);
  EXPECT_EQ(start_what_fits(state, at_second(600)), Jobs{2});
}

TEST(Load, AnOscillatingJobDoesNotLetOthersInBetweenItsPeaks) {
  State state = machine(1, 24);
  ask().vram(2).share(60).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  for (int second = 1; second <= 200; ++second) {
    Looks(state).with(1, 2, second % 4 < 2 ? 60 : 0).at(second);
  }
  ask().vram(2).share(50).submit(state, at_second(200));
  for (int second = 201; second <= 260; ++second) {
    Looks(state).with(1, 2, second % 4 < 2 ? 60 : 0).at(second);
    ASSERT_EQ(start_what_fits(state, at_second(second)), Jobs{}) << second;
  }
  for (int second = 261; second <= 264; ++second) Looks(state).with(1, 2, 0).at(second);
  EXPECT_EQ(start_what_fits(state, at_second(264)), Jobs{2}) << "it has stopped for good";
}

TEST(Load, MoreThanWasPromisedAndForeignLoadCount) {
  State state = machine(1, 24);
  ask().vram(2).share(10).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  Looks(state).with(1, 1, 50).with(4711, 1, 25).at(1);
  ask().vram(2).share(20).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{}) << "50 + 25 + 20 > 90";
  ask().vram(2).share(15).priority(60).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{3});
}

TEST(Load, WhereItIsNotKnownThePromiseCounts) {
  State state = machine(1, 24);
  ask().vram(2).share(60).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  for (int second = 1; second <= 300; ++second) Looks(state).with(1, 2, {}).at(second);
  ask().vram(2).share(40).submit(state, at_second(300));
  EXPECT_EQ(start_what_fits(state, at_second(300)), Jobs{});
}

TEST(Unknown, IsJoinedOnceItsMemoryNoLongerGrows) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  ask().vram(4).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{1});
  run(state, 1, at_second(0));
  for (int second = 1; second < 420; ++second) {
    Looks(state).with(1, second < 100 ? 4 : 8, 30).at(second);
    ASSERT_EQ(start_what_fits(state, at_second(second)), Jobs{}) << second;
  }
  Looks(state).with(1, 8, 30).at(421);
  EXPECT_EQ(start_what_fits(state, at_second(421)), Jobs{2});
  const CardGrant& held = grant_of(*state.find(JobId{1}))->cards.front();
  EXPECT_NEAR(static_cast<double>(held.vram_bytes), 10.0 * kGiB, 1e3) << "its peak x 1.25";
  EXPECT_FALSE(held.whole);
  state.check_invariants();
}

TEST(Unknown, OneThatGrowsOrHasNothingThereYetOrIsExclusiveStaysAlone) {
  for (const int what : {0, 1, 2}) {
    State state = machine(1, 24);
    Ask first = ask();
    first.spec().needs.exclusive = what == 2;
    first.submit(state, at_second(0));
    start_what_fits(state, at_second(0));
    run(state, 1, at_second(0));
    ask().vram(1).submit(state, at_second(0));
    for (int second = 1; second < 2000; second += 10) {
      const double gib = what == 0 ? 2 * std::pow(1.002, second) : what == 1 ? 0 : 4;
      Looks(state).with(1, std::min(gib, 20.0), 30).at(second);
      if (gib >= 20) break;
      ASSERT_EQ(start_what_fits(state, at_second(second)), Jobs{}) << what << " at " << second;
    }
  }
}

TEST(Unknown, WhatWasUsedIsWrittenDownForTheNextDaemon) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  state.keep_changes();
  Looks(state).with(1, 8, 30).at(1);
  ASSERT_EQ(state.changes().jobs.put.size(), 1U);
  EXPECT_EQ(state.changes().jobs.put.front().id, JobId{1});
  EXPECT_EQ(std::get<Running>(state.find(JobId{1})->state).used->peak_card_vram_bytes, 8 * kGiB);
  state.keep_changes();
  Looks(state).with(1, 8.1, 30).at(2);
  EXPECT_TRUE(state.changes().empty()) << "not for every little bit";
}

std::vector<JobId> evicted(const State& state) {
  std::vector<JobId> jobs;
  for (const Evict& evict : relieve(state, at_second(10))) jobs.push_back(evict.job);
  return jobs;
}

State under_pressure(Rules rules = {}) {
  State state = machine(1, 24, 8, rules);
  const int priorities[] = {10, 50, 10};
  for (int i = 0; i < 3; ++i) {
    Ask one = ask().vram(4).share(10).priority(priorities[i]);
    one.spec().restartable = true;
    one.submit(state, at_second(i));
    start_what_fits(state, at_second(i));
    run(state, static_cast<std::uint64_t>(i + 1), at_second(i));
  }
  Looks(state).with(1, 9, 10).with(2, 9, 10).with(3, 5, 10).at(10);
  return state;
}

TEST(Pressure, TheYoungestOfTheLowestBandGoesAndOnlyOne) {
  State state = under_pressure();
  EXPECT_EQ(evicted(state), std::vector<JobId>{JobId{3}});
  const Decided decided = decide(state, at_second(10));
  ASSERT_EQ(decided.decisions.size(), 1u);
  const Applied applied = accept(state, decided.decisions.front(), at_second(10));
  ASSERT_EQ(applied.effects.size(), 1u);
  EXPECT_EQ(std::get<StopAttempt>(applied.effects.front()).attempt, (AttemptId{JobId{3}, 1}));
  EXPECT_EQ(evicted(state), std::vector<JobId>{}) << "one is on its way out";
  AttemptFinished gone{.attempt = {JobId{3}, 1}, .cause = Cause::kSignal};
  gone.signal = 15;
  apply(state, gone, at_second(11));
  EXPECT_EQ(state_of(state, 3), "queued") << "started over, not failed";
  EXPECT_EQ(evicted(state), std::vector<JobId>{})
      << "18 of 22.8 without it, though the look is old";
  EXPECT_EQ(start_what_fits(state, at_second(12)), Jobs{}) << "no room for what it showed";
  EXPECT_EQ(state.find(JobId{3})->vram_floor_bytes, 5 * kGiB);
}

TEST(Pressure, ALookAheadGoesOnWithThoseWhoStay) {
  State state = under_pressure();
  ask().vram(20).submit(state, at_second(9));
  const Forecast forecast = look_ahead(excerpt_of(state, kLookedAheadMost, at_second(10)));
  EXPECT_EQ(forecast.starts.size() + forecast.unknown.size(), 1u);
}

TEST(Pressure, NobodyGoesWhoMayNotAndNobodyAloneAndNotWhenItIsOff) {
  State restricted = machine(1, 24);
  for (int i = 0; i < 2; ++i) {
    Ask one = ask().vram(4).share(10);
    one.spec().restartable = i == 0;
    if (i == 0) one.spec().preempt = PreemptPolicy::kNever;
    one.submit(restricted, at_second(0));
  }
  start_what_fits(restricted, at_second(0));
  Looks(restricted).with(1, 12, 10).with(2, 11.5, 10).at(1);
  EXPECT_EQ(evicted(restricted), std::vector<JobId>{});

  State alone = machine(1, 24);
  Ask one = ask().vram(4);
  one.spec().restartable = true;
  one.submit(alone, at_second(0));
  start_what_fits(alone, at_second(0));
  Looks(alone).with(1, 23.9, 10).at(1);
  EXPECT_EQ(evicted(alone), std::vector<JobId>{});

  Rules off;
  off.preemption = Preemption::kOff;
  EXPECT_EQ(evicted(under_pressure(off)), std::vector<JobId>{});
}

// What any sequence of starts, looks and ends must keep true.
void check_card(const State& state, bool was_started) {
  state.check_invariants();
  const CardHolds& holds = state.holds_on(0);
  if (holds.jobs < 2) return;
  // Who goes under pressure counts with all that it had taken, until it is gone.
  for (const JobId id : state.active()) {
    const auto* running = std::get_if<Running>(&state.find(id)->state);
    if (running != nullptr && running->stopping == StopReason::kPressure) return;
  }
  const Card& card = state.cards()[0];
  const std::uint64_t ceiling = card.capacity_bytes() - headroom_of(card, state.rules());
  RC_ASSERT(holds.vram_bytes <= ceiling);
  if (was_started) RC_ASSERT(holds.load_percent() <= state.rules().share_cap_percent);
  if (was_started) RC_ASSERT(holds.vram_bytes + holds.ungranted.vram_bytes <= ceiling);
  RC_ASSERT(!holds.whole);
}

// A shape that the quick look rules out has no card indeed.
void check_quick_look(const State& state) {
  const Tentative free(state);
  const BestRoom room = best_room(state.cards(), free.cards, state.rules());
  if (room.alone_bytes > 0) return;
  for (const auto& [id, job] : state.jobs()) {
    if (!state.pending().contains(id)) continue;
    const ShapeKey& shape = state.pending().shape_of(id).key;
    if (shape.signature == SignatureId{}) continue;
    if (!exceeds(card_ask_now(state, shape), room)) continue;
    RC_ASSERT(fitting_cards(state, free, needs_now(state, job)).empty());
  }
}

RC_GTEST_PROP(Sharing, HoldsNeverExceedCapOrHeadroomAndTheUnknownAreAlone, ()) {
  Rules rules;
  rules.estimates.settle_after = Seconds{20};
  rules.estimates.ramp = Seconds{10};
  State state = machine(1, 24, 64, rules);
  const int steps = *rc::gen::inRange(1, 80);
  for (int i = 0; i < steps; ++i) {
    const Now now = at_second(i * 5);
    Ask one = ask();
    one.spec().argv = {"job" + std::string(1, static_cast<char>('a' + *rc::gen::inRange(0, 3)))};
    if (*rc::gen::arbitrary<bool>()) one.vram(*rc::gen::inRange<std::uint64_t>(1, 20));
    if (*rc::gen::inRange(0, 3) == 0) one.share(*rc::gen::inRange(1, 101));
    one.spec().restartable = *rc::gen::arbitrary<bool>();
    one.retries(1).submit(state, now);
    Looks looks(state);
    for (const JobId id : std::set<JobId>(state.active())) {
      if (std::holds_alternative<Starting>(state.find(id)->state)) run(state, number_of(id), now);
      looks.with(number_of(id), *rc::gen::inRange(0, 90) / 10.0, *rc::gen::inRange(0, 60));
    }
    looks.at(i * 5);
    check_card(state, false);
    for (const JobId id : std::set<JobId>(state.active())) {
      if (*rc::gen::inRange(0, 3) != 0) continue;
      AttemptFinished end{.attempt = state.find(id)->current_attempt()};
      const bool oom = *rc::gen::inRange(0, 4) == 0;
      end.cause = oom ? Cause::kCudaOom : Cause::kExit;
      end.exit_code = oom ? 1 : 0;
      end.started_at = now.wall;
      end.ended_at = now.wall;
      apply(state, end, now);
    }
    const bool started = !start_what_fits(state, now).empty();
    check_card(state, started);
    check_quick_look(state);
    for (const Decision& decision : decide(state, now).decisions) {
      RC_ASSERT(!std::holds_alternative<Start>(decision));
    }
  }
}

}  // namespace
}  // namespace gpusched::testing
