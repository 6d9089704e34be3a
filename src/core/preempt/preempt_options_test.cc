// What the options of making room add: turns inside a band, idle holders, lowered quotas.
#include <gtest/gtest.h>

#include "core/explain/explain.h"
#include "tests/support/core_words.h"
#include "tests/support/room_builders.h"

namespace gpusched::testing {
namespace {

constexpr int kLowPriority = 30, kHighPriority = 75;

TEST(PreemptOptions, TimeshareLetsEqualsTakeTurns) {
  Rules rules;
  rules.room.timeshare = true;
  State state = moving_machine(1, 24, rules);
  ask().submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  ask().submit(state, at_second(3600));
  EXPECT_TRUE(take_turn(state, 3600).empty()) << "it has had an hour only";
  EXPECT_EQ(who<MoveAside>(take_turn(state, 7201)), JobNumbers{1}) << "two card-hours";
  has_moved(state, 1, 6, 7205);
  take_turn(state, 7205);
  run(state, 2, at_second(7205));
  ask().submit(state, at_second(7206));
  finish(state, 2, 0, at_second(7300));
  EXPECT_EQ(who<Launch>(take_turn(state, 7300)), JobNumbers{3}) << "has had nothing yet";
  run(state, 3, at_second(7300));
  finish(state, 3, 0, at_second(7400));
  EXPECT_EQ(who<BringBack>(take_turn(state, 7400)), JobNumbers{1});
}

TEST(PreemptOptions, WhoSitsIdleGoesForAnybody) {
  Rules rules;
  rules.room.idle_after = Seconds{600};
  State state = moving_machine(1, 24, rules);
  ask().priority(kHighPriority).submit(state, at_second(0));
  starts_and_runs(state, 1, 0);
  const auto look = [&](std::int64_t second, std::optional<std::int64_t> idle_since) {
    CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
    SeenProcess seen{.pid = 7};
    seen.vram_bytes = 10 * kGiB;
    seen.attempt = state.find(JobId{1})->current_attempt();
    if (idle_since) seen.idle_since = at_second(*idle_since).wall;
    view.processes = {seen};
    apply(state, CardSeen{CardNumber{0}, view}, view.at);
  };
  ask().vram(20).priority(kLowPriority).submit(state, at_second(100));
  look(500, std::nullopt);
  EXPECT_TRUE(take_turn(state, 500).empty()) << "it works";
  look(900, 500);
  EXPECT_TRUE(take_turn(state, 900).empty()) << "idle, but not for long";
  look(1200, 500);
  EXPECT_EQ(who<MoveAside>(take_turn(state, 1200)), JobNumbers{1});
}

TEST(PreemptOptions, WhoIsOverALoweredQuotaIsMovedAside) {
  Rules rules;
  rules.room.over_quota = true;
  State state = moving_machine(2, 24, rules);
  for (int i = 0; i < 2; ++i) ask().submit(state, at_second(0));
  take_turn(state, 0);
  for (std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  const auto set_cards = [&](std::optional<std::uint64_t> cards, std::int64_t second) {
    Tenant tenant{.name = "user0", .rule = {}, .usage = {}};
    tenant.rule.cards = cards;
    state.put(tenant);
    return take_turn(state, second);
  };
  EXPECT_EQ(who<MoveAside>(set_cards(1, 100)), JobNumbers{2}) << "the younger one";
  EXPECT_TRUE(take_turn(state, 101).empty()) << "one is enough";
  has_moved(state, 2, 4, 102);
  EXPECT_TRUE(take_turn(state, 103).empty()) << "and it stays away";
  const auto why = why_waiting(state, *state.find(JobId{2}), at_second(103));
  ASSERT_FALSE(why.empty());
  expect_reason(ReasonCode::kMovedAside, why.front());
  EXPECT_EQ(who<BringBack>(set_cards(2, 200)), JobNumbers{2});
}

}  // namespace
}  // namespace gpusched::testing
