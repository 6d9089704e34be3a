// Fair share: the arithmetic of usage, and the total order that it is a part of.
#include "core/share/fair_share.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "core/share/order.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;

void weigh(State& state, const std::string& tenant, double weight, Now now) {
  TenantRule rule;
  rule.weight = weight;
  apply(state, TenantSetAsked{ourselves(), tenant, rule}, now);
}

double usage_of(const State& state, const std::string& tenant, Now now) {
  for (const Share& share : shares_of(state, now)) {
    if (*share.tenant == tenant) return share.usage;
  }
  return 0;
}

TEST(FairShare, ServesTheTenantBelowItsShareFirst) {
  State state = machine(1, 24);
  ask().uid(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().uid(1).priority(60).submit(state, at_second(1));
  ask().uid(2).priority(50).submit(state, at_second(2));
  finish(state, 1, 0, at_second(100));
  // Band first, then standing, then priority.
  ask().uid(1).priority(70).submit(state, at_second(101));
  EXPECT_EQ(waiting_in_order(state, 10, at_second(101)),
            (std::vector{JobId{4}, JobId{3}, JobId{2}}));
  EXPECT_EQ(position_of(state, JobId{3}, 10, at_second(101)), 2u);
}

TEST(FairShare, AnOverdueJobComesBeforeATenantBelowItsShare) {
  State state = machine(1, 24);
  ask().uid(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().uid(1).submit(state, at_second(0));
  const Now next_day = at_second(25 * 3600);
  ask().uid(2).submit(state, next_day);
  finish(state, 1, 0, next_day);
  apply(state, TimePassed{}, next_day);
  EXPECT_EQ(waiting_in_order(state, 10, next_day), (std::vector{JobId{2}, JobId{3}}));
}

TEST(FairShare, WeightsSayHowMuchIsDueAndCountAtOnce) {
  State state = machine(2, 24);
  for (int uid : {1, 2}) {
    ask().uid(static_cast<std::uint32_t>(uid)).submit(state, at_second(0));
  }
  start_what_fits(state, at_second(0));
  for (int uid : {1, 2}) {
    ask().uid(static_cast<std::uint32_t>(uid)).submit(state, at_second(1));
  }
  const Now later = at_second(1000);
  // Both had half of it.
  weigh(state, "user2", 3, later);
  EXPECT_EQ(waiting_in_order(state, 10, later), (std::vector{JobId{4}, JobId{3}}));
  const std::vector<Share> shares = shares_of(state, later);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_DOUBLE_EQ(shares[1].due, 0.75);
  EXPECT_DOUBLE_EQ(shares[1].got, 0.5);
  weigh(state, "user2", 0.5, later);
  EXPECT_EQ(waiting_in_order(state, 10, later), (std::vector{JobId{3}, JobId{4}}));
}

TEST(FairShare, ChargesTheLargerOfMemoryAndCompute) {
  State state = machine(1, 20);
  Grant grant;
  const auto with = [](std::uint64_t gib, int percent, bool whole = false) {
    return CardGrant{
        .card = CardNumber{0}, .vram_bytes = gib * kGiB, .share_percent = percent, .whole = whole};
  };
  EXPECT_EQ(charge_rate_of(grant, state.cards()), 0);
  grant.cards = {with(10, 25)};
  EXPECT_EQ(charge_rate_of(grant, state.cards()), 500'000);
  grant.cards = {with(5, 75)};
  EXPECT_EQ(charge_rate_of(grant, state.cards()), 750'000);
  grant.cards = {with(20, 100, true), with(2, 5)};
  EXPECT_EQ(charge_rate_of(grant, state.cards()), 1'100'000);
  // A card that is not there now: what was promised of it.
  EXPECT_EQ(charge_rate_of(grant, {}), 1'050'000);
}

TEST(FairShare, HalvesAfterTheHalfLifeAndNeverGoesBackInTime) {
  const Seconds week{7 * 86400};
  TenantUsage usage{.gpu_seconds = 800, .at = {}, .boot = Boot{Seconds{50}}, .days = {}};
  const auto at_boot = [](std::int64_t seconds) { return Now{{}, Boot{Seconds{seconds}}}; };
  EXPECT_DOUBLE_EQ(usage_at(usage, 0, at_boot(50 + 7 * 86400), week), 400);
  EXPECT_DOUBLE_EQ(usage_at(usage, 0, at_boot(50 + 21 * 86400), week), 100);
  EXPECT_DOUBLE_EQ(usage_at(usage, 0, at_boot(10), week), 800);
  EXPECT_EQ(usage_at(usage, 1'000'000, at_boot(60), Seconds{0}), 0);
  // A second on a card is a GPU-second, nearly: it fades while it is made.
  usage.gpu_seconds = 0;
  EXPECT_NEAR(usage_at(usage, 1'000'000, at_boot(150), week), 100, 0.01);
}

TEST(FairShare, UsageDoesNotFollowAWallClockThatJumps) {
  State state = machine(1, 24);
  ask().uid(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  Now now = at_second(100);
  now.wall += std::chrono::days{3000};
  EXPECT_NEAR(usage_of(state, "user1", now), 100, 0.1);
  now.wall -= std::chrono::days{6000};
  finish(state, 1, 0, now);
  EXPECT_NEAR(usage_of(state, "user1", now), 100, 0.1);
}

TEST(FairShare, WhatRunsLongIsCountedAndWrittenFromTimeToTime) {
  State state = machine(1, 24);
  ask().uid(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  state.keep_changes();
  ASSERT_TRUE(state.next_deadline(at_second(1)));
  EXPECT_EQ(*state.next_deadline(at_second(1)), at_second(600).boot);
  apply(state, TimePassed{}, at_second(599));
  EXPECT_TRUE(state.changes().tenants.empty());
  apply(state, TimePassed{}, at_second(600));
  ASSERT_EQ(state.changes().tenants.put.size(), 1U);
  EXPECT_EQ(state.changes().tenants.put.front().name, "user1");
  EXPECT_TRUE(state.changes().jobs.empty());
  EXPECT_EQ(*state.next_deadline(at_second(600)), at_second(1200).boot);
}

TEST(FairShare, TenantsThatUsedNothingForLongAreForgotten) {
  State state = machine(2, 24);
  ask().uid(1).gpus(1).vram(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 1, 0, at_second(1));
  const Now later = at_second(400 * 86400);
  ask().uid(2).submit(state, later);
  start_what_fits(state, later);
  EXPECT_NE(state.tenants().find("user1"), nullptr);
  apply(state, RetentionDue{}, later);
  apply(state, TimePassed{}, at_second(400 * 86400 + 600));
  EXPECT_EQ(state.tenants().find("user1"), nullptr);
  EXPECT_NE(state.tenants().find("user2"), nullptr);
}

RC_GTEST_PROP(FairShare, CountingInBetweenChangesNothing, ()) {
  const Seconds half_life{*rc::gen::inRange(60, 1'000'000)};
  const ChargeRate rate = *rc::gen::inRange(0, 8'000'000);
  TenantUsage whole{.gpu_seconds = *rc::gen::inRange(0, 1'000'000) / 7.0,
                    .at = at_second(0).wall,
                    .boot = at_second(0).boot,
                    .days = {}};
  TenantUsage steps = whole;
  std::int64_t at = 0;
  for (int i = *rc::gen::inRange(1, 10); i > 0; --i) {
    at += *rc::gen::inRange(0, 200'000);
    steps = counted_up(steps, rate, at_second(at), half_life);
  }
  whole = counted_up(whole, rate, at_second(at), half_life);
  RC_ASSERT(std::abs(steps.gpu_seconds - whole.gpu_seconds) <= 1e-9 * (1 + whole.gpu_seconds));
  RC_ASSERT(steps.days.size() == whole.days.size());
  double sum = 0;
  for (const auto& [day, seconds] : whole.days) {
    sum += seconds;
    RC_ASSERT(std::abs(steps.days[day] - seconds) < 1e-6 * (1 + seconds));
  }
  RC_ASSERT(std::abs(sum - static_cast<double>(rate) / 1e6 * static_cast<double>(at)) <
            1e-6 * (1 + sum));
}

OrderKey any_key() {
  return {.band = static_cast<std::int8_t>(*rc::gen::inRange(0, 3)),
          .waiting = static_cast<std::int8_t>(*rc::gen::inRange(0, 3)),
          .priority = static_cast<std::int16_t>(*rc::gen::inRange(0, 3)),
          .submitted_at = Wall{Seconds{*rc::gen::inRange(0, 3)}},
          .job = JobId{*rc::gen::inRange<std::uint64_t>(0, 4)}};
}

RC_GTEST_PROP(Order, IsTotalAndStrict, ()) {
  struct Place {
    OrderKey key;
    std::int8_t standing;
  };
  const auto any = [] {
    return Place{any_key(), static_cast<std::int8_t>(*rc::gen::inRange(0, 2))};
  };
  const auto before = [](const Place& a, const Place& b) {
    return starts_before(a.key, a.standing, b.key, b.standing);
  };
  const Place a = any();
  const Place b = any();
  const Place c = any();
  RC_ASSERT(!before(a, a));
  RC_ASSERT(!(before(a, b) && before(b, a)));
  if (before(a, b) && before(b, c)) RC_ASSERT(before(a, c));
  // Total: only one and the same place is neither before nor behind.
  const bool same = a.key == b.key && a.standing == b.standing;
  const bool apart =
      std::tuple(a.key.band, a.key.waiting) == std::tuple(b.key.band, b.key.waiting) ? !same : true;
  RC_ASSERT((before(a, b) || before(b, a)) == apart);
}

// What the walk says must be what sorting everything says.
RC_GTEST_PROP(Order, TheWalkVisitsEveryJobInTheTotalOrder, ()) {
  State state = machine(2, 24, 4);
  const int jobs = *rc::gen::inRange(1, 40);
  for (int i = 0; i < jobs; ++i) {
    Ask job = ask();
    job.uid(static_cast<std::uint32_t>(*rc::gen::inRange(1, 5)));
    job.priority(*rc::gen::inRange(30, 80)).gpus(*rc::gen::inRange(0, 3));
    job.submit(state, at_second(i));
    if (*rc::gen::inRange(0, 4) == 0) start_what_fits(state, at_second(i));
  }
  const Now now = at_second(20 * 3600 + *rc::gen::inRange(0, 8 * 3600));
  apply(state, TimePassed{}, now);
  std::set<std::string> above;
  for (const Share& share : shares_of(state, now)) {
    if (!share.below()) above.insert(*share.tenant);
  }
  std::vector<JobId> expected;
  for (const auto& [id, job] : state.jobs()) {
    if (state.pending().contains(id)) expected.push_back(id);
  }
  // With one tenant in the queue its standing does not matter.
  const bool alone = state.pending().queues().size() < 2;
  const auto standing = [&](JobId id) {
    return static_cast<std::int8_t>(!alone && above.contains(state.find(id)->tenant) ? 1 : 0);
  };
  std::ranges::sort(expected, [&](JobId a, JobId b) {
    return starts_before(state.pending().key_of(a), standing(a), state.pending().key_of(b),
                         standing(b));
  });
  RC_ASSERT(waiting_in_order(state, 1000, now) == expected);
  // A copy is as good.
  const State copy = state;
  RC_ASSERT(waiting_in_order(copy, 1000, now) == expected);
  copy.check_invariants();
}

RC_GTEST_PROP(FairShare, WithinABandATenantBelowItsShareIsServedBeforeOneAbove, ()) {
  State state = machine(1, 24);
  const auto tenants = *rc::gen::inRange(2, 5);
  for (int uid = 1; uid <= tenants; ++uid) {
    weigh(state, "user" + std::to_string(uid), *rc::gen::inRange(1, 5), at_second(0));
    for (int i = 0; i < 8; ++i) {
      ask()
          .uid(static_cast<std::uint32_t>(uid))
          .priority(*rc::gen::inRange(40, 70))
          .submit(state, at_second(0));
    }
  }
  std::int64_t at = 0;
  for (int turn = 0; turn < 8 * tenants; ++turn) {
    const std::vector<Share> shares = shares_of(state, at_second(at));
    const Jobs started = start_what_fits(state, at_second(at));
    RC_ASSERT(started.size() == 1u);
    const std::string& tenant = state.find(JobId{started[0]})->tenant;
    for (const Share& share : shares) {
      if (*share.tenant != tenant || share.below() || shares.size() < 2) continue;
      // Served above its share: then nobody with demand was below.
      RC_ASSERT(std::ranges::none_of(
          shares, [](const Share& other) { return other.demand && other.below(); }));
    }
    at += *rc::gen::inRange(1, 5000);
    finish(state, started[0], 0, at_second(at));
  }
}

}  // namespace
}  // namespace gpusched::testing
