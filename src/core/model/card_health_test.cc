#include "core/model/card_health.h"

#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "core/decide/decide.h"
#include "core/state/state.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

Now second(int number) {
  return {Wall{Microseconds{Seconds{1'000'000 + number}}}, Boot{Microseconds{Seconds{number}}}};
}

CardVitals warm(double celsius) {
  CardVitals vitals;
  vitals.temperature_celsius = celsius;
  return vitals;
}

CardVitals errors(std::uint64_t corrected, std::uint64_t uncorrected) {
  CardVitals vitals;
  vitals.corrected_errors = corrected;
  vitals.uncorrected_errors = uncorrected;
  return vitals;
}

TEST(JudgeVitals, HeatCountsOnceItHasLasted) {
  const HealthLimits limits{.hottest_celsius = 90, .hot_for = Seconds{30}};
  HealthRecord record;
  EXPECT_FALSE(judge_vitals(limits, {}, warm(95), record, second(0)));
  EXPECT_FALSE(judge_vitals(limits, {}, warm(89), record, second(20))) << "It was a peak.";
  EXPECT_FALSE(judge_vitals(limits, {}, warm(90), record, second(25)));
  EXPECT_FALSE(judge_vitals(limits, {}, warm(93), record, second(54)));
  const auto verdict = judge_vitals(limits, {}, warm(93), record, second(55));
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->consequence, Consequence::kDrain);
  EXPECT_FALSE(verdict->jobs_lost);
  EXPECT_EQ(verdict->ends, DrainEnd::kCooler);
  expect_words(verdict->what);
  expect_words(verdict->advice);
  EXPECT_FALSE(has_cooled(limits, warm(80)));
  EXPECT_TRUE(has_cooled(limits, warm(79.5)));
  EXPECT_FALSE(has_cooled(limits, {})) << "Unknown is not cool.";
}

TEST(JudgeVitals, UnknownIsNotHot) {
  HealthRecord record;
  const HealthLimits at_once{.hottest_celsius = 90, .hot_for = Seconds{0}};
  EXPECT_FALSE(judge_vitals(at_once, {}, {}, record, second(0)));
  const HealthLimits never{.hottest_celsius = 0, .hot_for = Seconds{0}};
  EXPECT_FALSE(judge_vitals(never, {}, warm(150), record, second(0)));
}

TEST(JudgeVitals, CountersSpeakWhenTheyRise) {
  HealthRecord record;
  const HealthLimits limits{.uncorrected_errors = 2, .corrected_errors = 100};
  const auto judge_from = [&](const CardVitals& before, const CardVitals& vitals) {
    return judge_vitals(limits, before, vitals, record, second(0));
  };
  EXPECT_FALSE(judge_from(errors(0, 0), errors(99, 1)));
  EXPECT_TRUE(judge_from(errors(0, 1), errors(0, 2)));
  EXPECT_TRUE(judge_from(errors(99, 0), errors(100, 0)));
  EXPECT_FALSE(judge_from(errors(500, 5), errors(501, 6))) << "That was judged before.";
  EXPECT_FALSE(judge_from({}, errors(500, 5))) << "Nobody knows since when.";
  CardVitals lost;
  lost.rows_failed = true;
  CardVitals fine;
  fine.rows_failed = false;
  EXPECT_TRUE(judge_from(fine, lost));
  EXPECT_FALSE(judge_from(lost, lost));
}

TEST(HealthLimits, ACardsOwnOverrideThoseForAll) {
  const HealthRule rule{.hottest_celsius = 70, .failures = 0};
  const HealthLimits limits = limits_with({}, rule);
  EXPECT_EQ(limits.hottest_celsius, 70);
  EXPECT_EQ(limits.failures, 0);
  EXPECT_EQ(limits.uncorrected_errors, HealthLimits{}.uncorrected_errors);
}

// Two cards, and jobs that are put on one of them.
class FailingJobs : public ::testing::Test {
 protected:
  void SetUp() override {
    Card first, second_card;
    first.uuid = "GPU-0";
    second_card.uuid = "GPU-1";
    second_card.number = CardNumber{1};
    first.vram_bytes = second_card.vram_bytes = 8ULL << 30;
    state_.set_cards({first, second_card});
  }
  void run(int card, const std::string& program, int exit_code, const std::string& tenant = "lab") {
    auto spec = std::make_shared<JobSpec>();
    spec->argv = {program};
    spec->environment = std::make_shared<Environment>();
    if (card < 0) {
      spec->needs.gpus = {0, 0};
      spec->needs.cpus = 1;
    } else {
      spec->needs.cards.edit().only.numbers = {CardNumber{static_cast<std::uint16_t>(card)}};
    }
    SubmitAsked asked;
    asked.submission = ++submissions_;
    asked.spec = spec;
    asked.tasks.emplace_back();
    asked.tenant = tenant;
    const Now now = second(static_cast<int>(submissions_));
    const JobId id = std::get<Submitted>(apply(state_, asked, now).answer).first;
    for (const Decision& decision : decide(state_, now).decisions) accept(state_, decision, now);
    const AttemptId attempt = state_.find(id)->current_attempt();
    apply(state_, AttemptRunning{attempt, now.wall}, now);
    AttemptFinished finished{.attempt = attempt};
    finished.exit_code = exit_code;
    finished.ended_at = now.wall;
    apply(state_, finished, now);
  }
  bool drained(std::size_t card) const { return state_.cards()[card].drained; }

  State state_{Rules{}, HostCapacity{4, 1ULL << 30}};
  std::uint64_t submissions_ = 0;
};

TEST_F(FailingJobs, OfManyProgramsOnOneCardDrainIt) {
  for (int i = 0; i < 5; ++i) run(1, "program-" + std::to_string(i), 1);
  run(0, "good", 0);
  EXPECT_FALSE(drained(1));
  run(1, "program-5", 1);
  EXPECT_TRUE(drained(1));
  EXPECT_FALSE(drained(0));
  EXPECT_EQ(state_.drains().at("GPU-1").by, "health");
  state_.check_invariants();
}

TEST_F(FailingJobs, OfOneProgramAreThatProgramsFault) {
  run(0, "good", 0);
  for (int i = 0; i < 50; ++i) run(1, "bad", 1);
  run(0, "good", 0);
  run(1, "bad", 1);
  EXPECT_FALSE(drained(1));
}

TEST_F(FailingJobs, OfOneTenantTakeNoCardFromTheOthers) {
  run(0, "good", 0, "user1");
  for (int i = 0; i < 50; ++i) run(1, "program-" + std::to_string(i), 1, "user2");
  run(0, "good", 0, "user2");
  run(1, "program-50", 1, "user2");
  EXPECT_FALSE(drained(1));
  for (int i = 0; i < 2; ++i) run(1, "program-" + std::to_string(i), 1, "user1");
  EXPECT_FALSE(drained(1)) << "more than half of them are of one tenant";
  run(1, "program-2", 1, "user1");
  EXPECT_TRUE(drained(1));
}

TEST_F(FailingJobs, AreNotComparedWithJobsWithoutCards) {
  for (int i = 0; i < 5; ++i) run(1, "program-" + std::to_string(i), 1);
  run(-1, "good", 0);
  run(1, "program-5", 1);
  EXPECT_FALSE(drained(1));
}

TEST_F(FailingJobs, EverywhereAreNotTheCardsFault) {
  for (int i = 0; i < 20; ++i) run(i % 2, "program-" + std::to_string(i), 1);
  EXPECT_FALSE(drained(0) || drained(1));
}

TEST_F(FailingJobs, AreForgottenWhenOneGoesWell) {
  for (int i = 0; i < 5; ++i) run(1, "program-" + std::to_string(i), 1);
  run(0, "good", 0);
  run(1, "good", 0);
  run(0, "good", 0);
  for (int i = 5; i < 9; ++i) run(1, "program-" + std::to_string(i), 1);
  EXPECT_FALSE(drained(1));
}

}  // namespace
}  // namespace gpusched::testing
