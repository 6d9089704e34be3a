// How a job is judged by others that are like it: runs of its sweep and of its program, and copies
// that still run.
#include <gtest/gtest.h>

#include "core/admit/admission.h"
#include "core/apply/learn.h"
#include "core/explain/excerpt.h"
#include "core/explain/knowledge.h"
#include "core/state/belief.h"
#include "core/state/estimates.h"
#include "core/state/run_time.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;

// A card of an H200's size, and commands on it that seconds pass for.
class Copies : public ::testing::Test {
 protected:
  explicit Copies(Rules rules = {}) : state_(machine(1, 139, 64, rules)) {}

  static Ask copy(const std::string& where, std::uint32_t uid = 1) {
    Ask one = ask().uid(uid);
    one.spec().argv = {"python", "train.py", "--lr=0.1", "--out_dir=/x/" + where};
    one.spec().working_directory = "/home/a";
    return one;
  }
  void submit(Ask one) { one.submit(state_, at_second(second_)); }

  // A second later: what runs has this much on the card.
  struct Shown {
    std::uint64_t job;
    double gib;
    double load;
  };
  Jobs pass(const std::vector<Shown>& shown) {
    ++second_;
    CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second_)};
    for (const Shown& one : shown) {
      SeenProcess seen{.pid = static_cast<int>(one.job)};
      seen.vram_bytes = static_cast<std::uint64_t>(one.gib * static_cast<double>(kGiB));
      seen.load_percent = one.load;
      seen.attempt = state_.find(JobId{one.job})->current_attempt();
      view.processes.push_back(seen);
    }
    apply(state_, CardSeen{CardNumber{0}, view}, view.at);
    return start();
  }
  Jobs start() {
    const Jobs started = start_what_fits(state_, at_second(second_));
    for (const std::uint64_t job : started) run(state_, job, at_second(second_));
    state_.check_invariants();
    return started;
  }
  void end(std::uint64_t job, Cause cause = Cause::kExit) {
    AttemptFinished finished{.attempt = state_.find(JobId{job})->current_attempt(), .cause = cause};
    finished.exit_code = cause == Cause::kExit ? 0 : 1;
    finished.started_at = at_second(second_ - 5).wall;
    finished.ended_at = at_second(second_).wall;
    apply(state_, finished, at_second(second_));
  }
  const CardGrant& held(std::uint64_t job) const {
    return grant_of(*state_.find(JobId{job}))->cards.front();
  }
  std::string advice(std::uint64_t job) const {
    return knowledge_of(state_, *state_.find(JobId{job})).advice;
  }

  State state_;
  std::int64_t second_ = 0;
};

Jobs numbers(std::uint64_t first, std::uint64_t last) {
  Jobs all;
  for (std::uint64_t i = first; i <= last; ++i) all.push_back(i);
  return all;
}

TEST_F(Copies, WaitOnlyUntilTheFirstHasShownItsMemoryWhileItComputes) {
  for (int i = 0; i < 12; ++i) submit(copy("n" + std::to_string(i)));
  EXPECT_EQ(start(), Jobs{1});
  EXPECT_TRUE(held(1).whole);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(pass({}), Jobs{}) << "not on the card yet";
  EXPECT_EQ(pass({{1, 0.5, 0}}), Jobs{});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pass({{1, 2.5, 40}}), Jobs{}) << "for how long?";
  EXPECT_EQ(pass({{1, 2.5, 40}}), numbers(2, 12)) << "three seconds without growth";
  EXPECT_NEAR(static_cast<double>(held(1).vram_bytes), 3.75 * kGiB, 1e3);
  EXPECT_NEAR(static_cast<double>(held(2).vram_bytes), 3.75 * kGiB, 1e3)
      << "half as much again, from one that still runs";
  EXPECT_FALSE(held(1).whole);
  expect_words(advice(2));
}

TEST_F(Copies, AreJudgedByTheFirstThatHasEnded) {
  for (int i = 0; i < 12; ++i) submit(copy("n" + std::to_string(i)));
  start();
  EXPECT_EQ(pass({{1, 2.5, 95}}), Jobs{});
  end(1);
  EXPECT_EQ(start(), numbers(2, 12));
  expect_words(advice(3));
}

TEST_F(Copies, OneThatGrowsOrDoesNotComputeShowsNothing) {
  submit(copy("n0"));
  submit(copy("n1"));
  start();
  for (int i = 0; i < 60; ++i) EXPECT_EQ(pass({{1, 2.5, 0}}), Jobs{}) << "it loads its data";
  double gib = 2.5;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(pass({{1, gib *= 1.06, 40}}), Jobs{}) << "it grows";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(pass({{1, gib, 40}}), Jobs{});
  EXPECT_EQ(pass({{1, gib, 40}}), Jobs{2});
}

TEST_F(Copies, WithoutACopyThatWaitsAnUnknownJobKeepsItsCardForMinutes) {
  submit(copy("n0"));
  Ask other = ask().vram(4);
  other.spec().argv = {"other"};
  submit(other);
  start();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(pass({{1, 2.5, 40}}), Jobs{});
  submit(copy("n1", 2));
  EXPECT_EQ(pass({{1, 2.5, 40}}), Jobs{}) << "that of another tenant is another program";
  apply(state_, CancelAsked{{.uid = 2}, {JobId{3}}, {}}, at_second(second_));
  submit(copy("n1"));
  EXPECT_EQ(pass({{1, 2.5, 40}}), (Jobs{2, 4})) << "and then everybody may join it";
}

TEST_F(Copies, AScriptOfTheSameNameElsewhereIsAnotherProgram) {
  submit(copy("n0"));
  start();
  pass({{1, 2.5, 40}});
  end(1);
  Ask elsewhere = copy("n1");
  elsewhere.spec().working_directory = "/home/b";
  submit(elsewhere);
  start();
  EXPECT_TRUE(held(2).whole);
}

TEST_F(Copies, ItsOwnRunsSayMoreThanThoseOfItsSweepAndTheseMoreThanItsProgram) {
  const auto task = [&](std::uint64_t id, const char* model) {
    Ask one = ask().uid(1).array(1);
    one.spec().argv = {"python", "train.py", "--model={model}"};
    one.spec().working_directory = "/home/a";
    SubmitAsked asked = one.event();
    asked.tasks.front().values = {{"model", model}};
    apply(state_, asked, at_second(second_));
    ASSERT_NE(state_.find(JobId{id}), nullptr);
  };
  submit(copy("n0"));
  start();
  pass({{1, 20, 40}});
  end(1);
  task(2, "small");
  expect_words(advice(2));
  start();
  pass({{2, 4, 40}});
  end(2);
  task(3, "middle");
  expect_words(advice(3));
  EXPECT_EQ(expected_run(state_, *state_.find(JobId{3})), Seconds{5});
  task(4, "small");
  expect_words(advice(4));
}

TEST_F(Copies, WhoDeclaresIsNotJudgedByOthersEvenWhereHistoryIsTrusted) {
  Rules rules;
  rules.estimates.trust_history = true;
  state_ = machine(1, 139, 64, rules);
  submit(copy("n0"));
  start();
  pass({{1, 2.5, 40}});
  end(1);
  submit(copy("n1").vram(20));
  start();
  EXPECT_EQ(held(2).vram_bytes, 20 * kGiB);
}

TEST_F(Copies, OneThatDiedAloneOnACardTellsOfItselfOnly) {
  submit(copy("n0"));
  start();
  pass({{1, 2.5, 40}});
  end(1);
  submit(copy("huge"));
  start();
  pass({{2, 3, 40}});
  end(2, Cause::kCudaOom);
  submit(copy("n2"));
  expect_words(advice(3));
  EXPECT_GT(estimate_of(state_, *state_.find(JobId{3}))->vram_bytes, 55 * kGiB / 10)
      << "1.5 x what it held beside others";
  State alone = machine(1, 24);
  ask().submit(alone, at_second(0));
  start_what_fits(alone, at_second(0));
  run(alone, 1, at_second(0));
  AttemptFinished died{.attempt = {JobId{1}, 1}, .cause = Cause::kCudaOom};
  died.exit_code = 1;
  died.started_at = died.ended_at = at_second(1).wall;
  apply(alone, died, at_second(1));
  Ask other = ask();
  other.spec().argv = {"true", "--small"};
  other.submit(alone, at_second(2));
  EXPECT_FALSE(estimate_of(alone, *alone.find(JobId{2})));
}

TEST_F(Copies, ALookAheadKnowsWhatTheRunningOnesHaveShown) {
  for (int i = 0; i < 2; ++i) submit(copy("n" + std::to_string(i)));
  start();
  for (int i = 0; i < 5; ++i) pass({{1, 100, 40}});
  ASSERT_EQ(state_of(state_, 2), "queued") << "150 of 139 GiB";
  const State copied = state_of(excerpt_of(state_, 10, at_second(second_)));
  EXPECT_EQ(estimate_of(copied, *copied.find(JobId{2}))->vram_bytes,
            estimate_of(state_, *state_.find(JobId{2}))->vram_bytes);
}

TEST(HoldFromAlike, GrowsWithTheSpreadAndFallsWithTheNumberOfRuns) {
  const EstimateRules rules;
  const auto gib = [&](std::vector<std::uint64_t> peaks) {
    PeakRange range;
    for (const std::uint64_t peak : peaks) range.add(peak * kGiB);
    return static_cast<double>(hold_from_alike(range, rules)) / static_cast<double>(kGiB);
  };
  EXPECT_NEAR(gib({10}), 15.0, 0.01);
  EXPECT_NEAR(gib({10, 10}), 13.2, 0.01) << "15 and 17 percent";
  EXPECT_NEAR(gib({2, 10}), 17.2, 0.11) << "15 and 57 percent";
  EXPECT_NEAR(gib(std::vector<std::uint64_t>(32, 10)), 11.6, 0.01);
  EXPECT_LT(gib({2, 10, 10, 10}), gib({2, 10}));
}

LeaseTerms held_by(const char* program, const char* application = "") {
  return {.pid = 7, .application = application, .program = program};
}

TEST(LeaseSignature, IsThatOfTheHoldersProgram) {
  Ask lease = ask();
  const auto signed_as = [&](LeaseTerms terms) {
    Job job;
    auto spec = std::make_shared<JobSpec>(lease.spec());
    spec->argv.clear();
    spec->lease = std::make_shared<LeaseTerms>(std::move(terms));
    job.spec = std::move(spec);
    job.tenant = "user1";
    return signature_of(job).id;
  };
  const SignatureId notebook = signed_as(held_by("python -m ipykernel_launcher"));
  EXPECT_NE(notebook, SignatureId{});
  EXPECT_EQ(notebook, signed_as(held_by("python -m ipykernel_launcher", "jupyter")));
  EXPECT_NE(notebook, signed_as(held_by("python /x/serve.py")));
  EXPECT_NE(signed_as(held_by("", "trainer")), signed_as(held_by("", "server")));
  EXPECT_EQ(signed_as(held_by("")), SignatureId{}) << "nothing is known: nothing is believed";
}

}  // namespace
}  // namespace gpusched::testing
