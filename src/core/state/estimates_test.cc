// What is learnt from past runs and what it makes jobs hold: signatures, quantiles, bounds, the
// hold after an out-of-memory failure, advice.
#include "core/state/estimates.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/admit/admission.h"
#include "core/apply/learn.h"
#include "core/explain/knowledge.h"
#include "core/model/varying_parts.h"
#include "core/state/run_time.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;

TEST(SignatureText, NumbersAndRandomNamesGoNamesStay) {
  EXPECT_EQ(without_varying_parts("--lr=0.001"), "--lr=#");
  EXPECT_EQ(without_varying_parts("--lr=1e-4"), "--lr=#");
  EXPECT_EQ(without_varying_parts("--seeds 1,2,3"), "--seeds #");
  EXPECT_EQ(without_varying_parts("/data/run_12/2024-01-05_10:00:00/out"), "/data/run_#/#/out");
  EXPECT_EQ(without_varying_parts("/tmp/tmpab12cd34/x"), "/tmp/#/x");
  EXPECT_EQ(without_varying_parts("ckpt-9f86d081884c7d65.pt"), "ckpt-#.pt");
  EXPECT_EQ(without_varying_parts("resnet50 llama-7b 8G"), "resnet50 llama-7b 8G");
  EXPECT_EQ(without_varying_parts("deadbeef feedback"), "deadbeef feedback") << "words, not hashes";
  EXPECT_EQ(without_varying_parts(""), "");
}

RC_GTEST_PROP(SignatureText, WhatIsLeftDoesNotVaryAnyMore, (const std::string& text)) {
  const std::string once = without_varying_parts(text);
  RC_ASSERT(without_varying_parts(once) == once);
}

TEST(Signatures, TellTenantsAndProgramsApartAndNotRuns) {
  State state = machine(1, 24);
  const auto submit = [&](std::vector<std::string> argv, std::uint32_t uid) {
    Ask one = ask().uid(uid);
    one.spec().argv = std::move(argv);
    one.submit(state, at_second(0));
    return signature_of(state.jobs().rbegin()->second).id;
  };
  const SignatureId first = submit({"train", "--seed", "1"}, 1);
  EXPECT_EQ(first, submit({"train", "--seed", "22"}, 1));
  EXPECT_NE(first, submit({"train", "--seed", "1"}, 2));
  EXPECT_NE(first, submit({"train", "--seed"}, 1));
  EXPECT_NE(first, submit({"train--seed", "1"}, 1));
  EXPECT_NE(first, submit({"test", "--seed", "1"}, 1));
}

PastRuns past_of(const std::vector<std::uint64_t>& gib) {
  PastRuns past;
  for (const std::uint64_t each : gib) {
    past.runs.push_back({.attempt = {}, .peak_vram_bytes = each * kGiB, .load_percent = {}});
  }
  return past;
}

TEST(EstimateFrom, TheQuantileAndABitOrTheLargestOfTheLastFive) {
  const EstimateRules rules;
  EXPECT_FALSE(estimate_from({}, rules));
  EXPECT_NEAR(static_cast<double>(estimate_from(past_of({4}), rules)->vram_bytes), 4.6 * kGiB, 1e3);
  // The 90 % quantile of ten is the ninth; the largest is too long ago to count.
  EXPECT_NEAR(static_cast<double>(
                  estimate_from(past_of({20, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}), rules)->vram_bytes),
              4.6 * kGiB, 1e3);
  EXPECT_EQ(estimate_from(past_of({4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 20}), rules)->vram_bytes,
            20 * kGiB);
}

RC_GTEST_PROP(EstimateFrom, IsNeverBelowAnyOfTheLastFive, ()) {
  const auto gib = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(1, 80)));
  const auto estimate = estimate_from(past_of(gib), {});
  RC_ASSERT(estimate.has_value());
  for (std::size_t i = gib.size() - std::min<std::size_t>(gib.size(), 5); i < gib.size(); ++i) {
    RC_ASSERT(estimate->vram_bytes >= gib[i] * kGiB);
  }
}

SeenProcess using_card(AttemptId attempt, double gib, double load) {
  SeenProcess seen{.pid = 10};
  seen.vram_bytes = static_cast<std::uint64_t>(gib * static_cast<double>(kGiB));
  seen.load_percent = load;
  seen.attempt = attempt;
  return seen;
}

void look(State& state, std::int64_t second, std::vector<SeenProcess> processes,
          std::uint16_t card = 0) {
  CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
  view.processes = std::move(processes);
  apply(state, CardSeen{CardNumber{card}, view}, view.at);
}

// Runs the job from `from` for ten seconds with this peak, and ends it.
void run_with(State& state, std::uint64_t job, double gib, double load, std::int64_t from,
              Cause cause = Cause::kExit, int exit_code = 0) {
  run(state, job, at_second(from));
  const AttemptId attempt = state.find(JobId{job})->current_attempt();
  for (int i = 1; i < 10; ++i) look(state, from + i, {using_card(attempt, gib, load)});
  AttemptFinished finished{.attempt = attempt, .cause = cause};
  finished.exit_code = exit_code;
  finished.started_at = at_second(from).wall;
  finished.ended_at = at_second(from + 10).wall;
  apply(state, finished, at_second(from + 10));
  look(state, from + 10, {});
}

const CardGrant& first_grant(const State& state, std::uint64_t job) {
  return grant_of(*state.find(JobId{job}))->cards.front();
}

TEST(Estimates, AnUndeclaredJobStartsAloneTheFirstTimeAndSharesTheNext) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{1});
  EXPECT_TRUE(first_grant(state, 1).whole);
  run_with(state, 1, 4, 20, 0);
  EXPECT_EQ(start_what_fits(state, at_second(11)), (Jobs{2, 3})) << "both from one earlier run";
  EXPECT_NEAR(static_cast<double>(first_grant(state, 2).vram_bytes), 4.6 * kGiB, 1e3);
  EXPECT_EQ(first_grant(state, 2).share_percent, 20) << "its load, not its part of the memory";
  EXPECT_FALSE(first_grant(state, 2).whole);
  state.check_invariants();
}

TEST(Estimates, HistoryIsOfTheCardsModel) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run_with(state, 1, 4, 20, 0);
  std::vector<Card> cards = state.cards();
  cards.front().model = "Another";
  cards.front().uuid = "GPU-other";
  state.set_cards(cards);
  ask().submit(state, at_second(20));
  EXPECT_EQ(start_what_fits(state, at_second(20)), Jobs{2});
  EXPECT_TRUE(first_grant(state, 2).whole) << "nothing is known of it there";
}

TEST(Estimates, ADeclaredNeedIsHeldInFullUnlessHistoryIsTrusted) {
  for (const bool trusted : {false, true}) {
    Rules rules;
    rules.estimates.trust_history = trusted;
    State state = machine(1, 24, 8, rules);
    ask().vram(20).submit(state, at_second(0));
    start_what_fits(state, at_second(0));
    run_with(state, 1, 4, 20, 0);
    ask().vram(20).submit(state, at_second(20));
    EXPECT_EQ(start_what_fits(state, at_second(20)), Jobs{2});
    const double held = static_cast<double>(first_grant(state, 2).vram_bytes);
    EXPECT_NEAR(held, (trusted ? 4.6 : 20.0) * kGiB, 1e3);
  }
}

TEST(Estimates, AfterRunningOutOfMemoryTheNextAttemptHoldsHalfAsMuchAgainAtOnce) {
  State state = machine(1, 24);
  ask().vram(8).retries(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run_with(state, 1, 7.5, 20, 0, Cause::kCudaOom, 1);
  EXPECT_EQ(state_of(state, 1), "queued");
  EXPECT_EQ(start_what_fits(state, at_second(10)), Jobs{1}) << "without a back-off";
  EXPECT_NEAR(static_cast<double>(first_grant(state, 1).vram_bytes), 12.0 * kGiB, 1e3);
  run_with(state, 1, 11, 20, 10);
  EXPECT_EQ(state_of(state, 1), "completed");
}

TEST(Estimates, TheHoldAfterAFailureNeverExceedsTheCard) {
  State state = machine(1, 24);
  ask().vram(20).retries(3).submit(state, at_second(0));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(start_what_fits(state, at_second(i * 20)), Jobs{1});
    run_with(state, 1, 19, 20, i * 20, Cause::kCudaOom, 1);
  }
  EXPECT_EQ(state.find(JobId{1})->vram_floor_bytes, 24 * kGiB);
}

TEST(Estimates, OthersOfTheSignatureLearnFromAFailure) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run_with(state, 1, 4, 20, 0);
  ask().submit(state, at_second(20));
  start_what_fits(state, at_second(20));
  run_with(state, 2, 4.5, 20, 20, Cause::kCudaOom, 1);
  ask().submit(state, at_second(40));
  start_what_fits(state, at_second(40));
  EXPECT_GT(first_grant(state, 3).vram_bytes, 69 * kGiB / 10) << "1.5 x 4.6 and a bit";
}

TEST(Estimates, FailuresAndCancellationsTeachNothing) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run_with(state, 1, 1, 20, 0, Cause::kExit, 1);
  EXPECT_EQ(state.estimates().size(), 0u);
}

TEST(Estimates, TheDriversAccountRaisesThePeakAlsoAfterTheEnd) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run_with(state, 1, 4, 20, 0);
  apply(state, ProcessAccounted{{JobId{1}, 1}, 6 * kGiB}, at_second(11));
  apply(state, ProcessAccounted{{JobId{1}, 1}, 5 * kGiB}, at_second(12));
  apply(state, ProcessAccounted{{JobId{9}, 1}, 5 * kGiB}, at_second(12));
  ask().submit(state, at_second(20));
  start_what_fits(state, at_second(20));
  EXPECT_NEAR(static_cast<double>(first_grant(state, 2).vram_bytes), 6.9 * kGiB, 1e3);
}

TEST(Estimates, AreBoundedAndTheOldestGoFirstAndCanBeUndone) {
  Rules rules;
  rules.estimates.signatures_most = 3;
  State state(rules);
  for (int i = 1; i <= 5; ++i) {
    PastRuns past = past_of({1});
    past.key = {SignatureId{static_cast<std::uint64_t>(i)}, "m"};
    past.last = at_second(i == 1 ? 100 : i).wall;
    state.put(std::move(past));
  }
  EXPECT_EQ(state.estimates().size(), 3u);
  EXPECT_NE(state.estimates().find({SignatureId{1}, "m"}), nullptr) << "used last";
  EXPECT_EQ(state.estimates().find({SignatureId{2}, "m"}), nullptr);
  EXPECT_EQ(state.changes().past_runs.put.size(), 3u);
  EXPECT_EQ(state.changes().past_runs.removed.size(), 2u);
  state.roll_back(at_second(0));
  EXPECT_EQ(state.estimates().size(), 0u);
}

TEST(RunTime, FromProgressElseFromPastRuns) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  EXPECT_FALSE(expected_run(state, *state.find(JobId{1})));
  run_with(state, 1, 4, 20, 0);
  ask().submit(state, at_second(20));
  EXPECT_EQ(expected_run(state, *state.find(JobId{2})), Seconds{10});
  start_what_fits(state, at_second(20));
  run(state, 2, at_second(20));
  apply(state, ProgressSeen{{JobId{2}, 1}, 25, 100, at_second(30).wall}, at_second(30));
  EXPECT_EQ(expected_run(state, *state.find(JobId{2})), Seconds{40});
  apply(state, ProgressSeen{{JobId{2}, 1}, 25, 0, at_second(30).wall}, at_second(30));
  apply(state, ProgressSeen{{JobId{2}, 7}, 99, 100, at_second(30).wall}, at_second(30));
  EXPECT_EQ(expected_run(state, *state.find(JobId{2})), Seconds{40}) << "nonsense and late news";
}

TEST(Advice, SaysWhatToAskForNextTime) {
  EXPECT_EQ(suggested_for(61 * kGiB / 10), 7 * kGiB);
  EXPECT_EQ(suggested_for(kGiB), 5 * kGiB / 4);
  State state = machine(1, 24);
  ask().vram(20).submit(state, at_second(0));
  EXPECT_EQ(knowledge_of(state, *state.find(JobId{1})).advice, "");
  start_what_fits(state, at_second(0));
  run_with(state, 1, 6.1, 20, 0);
  expect_words(knowledge_of(state, *state.find(JobId{1})).advice);
  ask().vram(7).submit(state, at_second(20));
  start_what_fits(state, at_second(20));
  run_with(state, 2, 6.1, 20, 20);
  EXPECT_EQ(knowledge_of(state, *state.find(JobId{2})).advice, "") << "as it should be";
  ask().vram(5).submit(state, at_second(40));
  start_what_fits(state, at_second(40));
  run_with(state, 3, 6.1, 20, 40);
  expect_words(knowledge_of(state, *state.find(JobId{3})).advice);
  ask().submit(state, at_second(60));
  expect_words(knowledge_of(state, *state.find(JobId{4})).advice);
  start_what_fits(state, at_second(60));
  expect_words(knowledge_of(state, *state.find(JobId{4})).advice);
}

}  // namespace
}  // namespace gpusched::testing
