#include "core/share/quota.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/apply/preview.h"
#include "core/explain/explain.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;

void allow(State& state, const std::string& tenant, const TenantRule& rule, Now now) {
  const Answer answer = apply(state, TenantSetAsked{ourselves(), tenant, rule}, now).answer;
  ASSERT_TRUE(std::holds_alternative<Changed>(answer));
}
TenantRule cards(std::uint64_t most) {
  TenantRule rule;
  rule.cards = most;
  return rule;
}

TEST(Quota, ACardQuotaIsAReasonAndStopsNobodyElse) {
  State state = machine(4, 24);
  allow(state, "user1", cards(2), at_second(0));
  for (int i = 0; i < 3; ++i) ask().uid(1).priority(60).submit(state, at_second(0));
  ask().uid(2).submit(state, at_second(1));
  ask().uid(2).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(2)), (Jobs{1, 2, 4, 5}));
  expect_reason(ReasonCode::kTenantQuota, reason_of(state, 3, at_second(2)));
}

TEST(Quota, WhatItStopsGetsNoReservation) {
  State state = machine(2, 24);
  allow(state, "user1", cards(1), at_second(0));
  ask().uid(1).gpus(2).priority(69).submit(state, at_second(0));
  ask().uid(2).submit(state, at_second(1));
  ask().uid(2).submit(state, at_second(1));
  const Decided decided = decide(state, at_second(2));
  EXPECT_EQ(decided.decisions.size(), 2u);
  EXPECT_FALSE(decided.reserved);
  expect_reason(ReasonCode::kTenantQuota, reason_of(state, 1, at_second(2)));
}

TEST(Quota, ARangeOfCardsTakesWhatTheQuotaLeaves) {
  State state = machine(4, 24);
  allow(state, "user1", cards(3), at_second(0));
  ask().uid(1).gpus(1, 4).submit(state, at_second(0));
  ask().uid(1).gpus(1, 4).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(2)), Jobs{1});
  EXPECT_EQ(grant_of(*state.find(JobId{1}))->cards.size(), 3u);
}

TEST(Quota, VramCountsWhatIsHeld) {
  State state = machine(2, 24);
  TenantRule rule;
  rule.vram_bytes = 30 * kGiB;
  allow(state, "user1", rule, at_second(0));
  ask().uid(1).vram(16).submit(state, at_second(0));
  ask().uid(1).vram(16).submit(state, at_second(1));
  ask().uid(1).vram(14).submit(state, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(3)), (Jobs{1, 3}));
  expect_reason(ReasonCode::kTenantQuota, reason_of(state, 2, at_second(3)));
}

TEST(Quota, AJobThatFitsTheQuotaOnlyOnASmallerCardWaitsForThatOne) {
  State state(Rules{}, HostCapacity{8, 64 * kGiB});
  std::vector<Card> two;
  for (std::uint64_t i = 0; i < 2; ++i) {
    two.push_back({.number = CardNumber{static_cast<std::uint16_t>(i)},
                   .uuid = "GPU-" + std::to_string(i),
                   .model = "Test",
                   .vram_bytes = (i == 0 ? 24 : 48) * kGiB});
  }
  state.set_cards(two);
  TenantRule rule;
  rule.vram_bytes = 30 * kGiB;
  allow(state, "user1", rule, at_second(0));
  ask().uid(2).vram(24).submit(state, at_second(0));
  ask().uid(1).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{1});
  EXPECT_NE(reason_of(state, 2, at_second(2)).code, ReasonCode::kNext);
  ask().uid(3).submit(state, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(2)), Jobs{3});
  finish(state, 1, 0, at_second(3));
  EXPECT_EQ(start_what_fits(state, at_second(3)), Jobs{2});
}

TEST(Quota, RunningJobsAreCountedOnCpusToo) {
  State state = machine(1, 24, 8);
  TenantRule rule;
  rule.running = 2;
  allow(state, "user1", rule, at_second(0));
  for (int i = 0; i < 3; ++i) ask().uid(1).gpus(0).submit(state, at_second(i));
  EXPECT_EQ(start_what_fits(state, at_second(3)), (Jobs{1, 2}));
  expect_reason(ReasonCode::kTenantQuota, reason_of(state, 3, at_second(3)));
  finish(state, 1, 0, at_second(4));
  EXPECT_EQ(start_what_fits(state, at_second(4)), Jobs{3});
}

TEST(Quota, ACardQuotaLetsAJobRunOnCpusThatMay) {
  State state = machine(1, 24, 8);
  allow(state, "user1", cards(0), at_second(0));
  Ask either = ask();
  either.spec().needs.cpu_use = CpuUse::kFallback;
  either.uid(1).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{1});
  EXPECT_TRUE(grant_of(*state.find(JobId{1}))->cards.empty());
}

TEST(Quota, GpuHoursStopStartsUntilTheNextPeriod) {
  State state = machine(1, 24);
  // at_second(0) is 22:13:20 of a Tuesday, UTC.
  TenantRule rule;
  rule.gpu_hours = parse_gpu_hours("1/day");
  allow(state, "user1", rule, at_second(0));
  ask().uid(1).submit(state, at_second(0));
  ask().uid(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  finish(state, 1, 0, at_second(4000));
  EXPECT_EQ(start_what_fits(state, at_second(4000)), Jobs{});
  expect_reason(ReasonCode::kTenantQuota, reason_of(state, 2, at_second(4000)));
  const Boot midnight = at_second(6400).boot;
  ASSERT_TRUE(state.next_deadline(at_second(4000)));
  EXPECT_EQ(*state.next_deadline(at_second(4000)), midnight);
  EXPECT_EQ(start_what_fits(state, at_second(6399)), Jobs{});
  EXPECT_EQ(start_what_fits(state, at_second(6400)), Jobs{2});
}

TEST(Quota, PeriodsBeginAtMidnightOnMondayAndOnTheFirst) {
  const auto first = [](const char* text, int today) {
    return first_day_of(*parse_gpu_hours(text), today);
  };
  // Day 20,000 is Thursday 2024-10-04 plus the days since: 2024-10-04 is a Friday.
  const int friday = 20'000;
  EXPECT_EQ(first("1/day", friday), friday);
  EXPECT_EQ(first("1/week", friday), friday - 4);
  EXPECT_EQ(first("1/month", friday), friday - 3);
  EXPECT_EQ(first("1/10d", friday), friday - 9);
  for (const char* text : {"100/week", "0.5/day", "200/month", "40/10d", "none"}) {
    EXPECT_EQ(gpu_hours_text(*parse_gpu_hours(text)), text);
  }
  for (const char* text : {"", "100", "/day", "-1/day", "1/year", "1/0d", "1/61d", "x/day", "1/d",
                           "1/day ", "nan/day", "1e3/day"}) {
    EXPECT_FALSE(parse_gpu_hours(text)) << text;
  }
}

TEST(Quota, TheLongestTimeLimitIsGivenToJobsWithoutOne) {
  State state = machine(2, 24);
  TenantRule rule;
  rule.time_limit_s = 7200;
  ask().uid(1).submit(state, at_second(0));
  allow(state, "user1", rule, at_second(0));
  ask().uid(1).submit(state, at_second(1));
  ask().uid(1).time(10'800).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{2});
  EXPECT_EQ(state.find(JobId{2})->spec->time.limit, Seconds{7200});
  expect_reason(ReasonCode::kTenantQuota, reason_of(state, 1, at_second(1)));
  expect_reason(ReasonCode::kTenantQuota, reason_of(state, 3, at_second(1)));
}

TEST(Quota, ARunningJobCannotLeaveTheLongestTimeLimitBehind) {
  State state = machine(1, 24);
  TenantRule rule;
  rule.time_limit_s = 7200;
  allow(state, "user1", rule, at_second(0));
  ask().uid(1).time(60).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const auto set_limit = [&](Role role, std::int64_t seconds) {
    JobPatch patch;
    patch.put(&TimeRule::limit, Seconds{seconds});
    const Answer answer =
        apply(state, SetAsked{{.uid = 1, .role = role}, {JobId{1}}, patch}, at_second(1)).answer;
    return std::get<Changed>(answer).unchanged.empty();
  };
  EXPECT_TRUE(set_limit(Role::kUser, 7200));
  EXPECT_FALSE(set_limit(Role::kUser, 7201));
  EXPECT_FALSE(set_limit(Role::kUser, 0));
  EXPECT_TRUE(set_limit(Role::kAdministrator, 0));
}

TEST(Quota, TooManyQueuedJobsAreRefusedAsAWhole) {
  State state = machine(0, 24, 1);
  TenantRule rule;
  rule.queued = 3;
  allow(state, "user1", rule, at_second(0));
  EXPECT_TRUE(accepted(ask().uid(1).gpus(0).array(2).submit(state, at_second(0))));
  expect_refused(RefusalKind::kConflict, ask().uid(1).gpus(0).array(2).submit(state, at_second(1)));
  expect_refused(RefusalKind::kConflict,
                 preview(state, ask().uid(1).gpus(0).array(2).event(), at_second(1)));
  EXPECT_EQ(state.jobs().size(), 2u);
  EXPECT_TRUE(accepted(ask().uid(1).gpus(0).submit(state, at_second(1))));
  EXPECT_TRUE(accepted(ask().uid(2).gpus(0).array(9).submit(state, at_second(1))));
  start_what_fits(state, at_second(2));
  EXPECT_TRUE(accepted(ask().uid(1).gpus(0).submit(state, at_second(2))));
}

TEST(Quota, JobsOfASubmissionThatIsStillComingAreCounted) {
  State state = machine(0, 24, 1);
  TenantRule rule;
  rule.queued = 10;
  allow(state, "user1", rule, at_second(0));
  SubmitAsked large = ask().uid(1).gpus(0).array(2).event();
  large.total = 8;
  large.last_slice = false;
  apply(state, large, at_second(0));
  EXPECT_EQ(state.waiting_of("user1"), 8u);
  EXPECT_FALSE(accepted(ask().uid(1).gpus(0).array(3).submit(state, at_second(1))));
}

TEST(Tenants, TheNearerRuleCounts) {
  State state = machine(1, 24);
  ConfiguredTenants configured;
  configured.rules["default"].cards = 4;
  configured.rules["default"].weight = 2;
  configured.rules["lab"].cards = 8;
  configured.tenant_of_user["user7"] = "lab";
  state.configure_tenants(configured);
  const TenantBook& book = state.tenants();
  EXPECT_EQ(book.terms_of("lab").cards, 8u);
  EXPECT_EQ(book.terms_of("lab").weight, 2);
  EXPECT_EQ(book.terms_of("other").cards, 4u);
  EXPECT_EQ(book.tenant_of("user7"), "lab");
  EXPECT_EQ(book.tenant_of("user8"), "user8");
  allow(state, "lab", cards(1), at_second(0));
  allow(state, "default", cards(3), at_second(0));
  EXPECT_EQ(book.terms_of("lab").cards, 1u);
  EXPECT_EQ(book.terms_of("other").cards, 3u);
  EXPECT_EQ(book.terms_of("lab").weight, 2);
  apply(state, TenantUnsetAsked{ourselves(), "lab"}, at_second(1));
  EXPECT_EQ(book.terms_of("lab").cards, 8u);
  EXPECT_EQ(book.find("lab"), nullptr);
}

TEST(Tenants, OnlyAdministratorsChangeThem) {
  State state = machine(1, 24);
  const Principal user{.uid = 1000};
  const auto set = apply(state, TenantSetAsked{user, "a", cards(1)}, at_second(0)).answer;
  EXPECT_EQ(std::get<Refusal>(set).kind, RefusalKind::kForbidden);
  const auto unset = apply(state, TenantUnsetAsked{user, "a"}, at_second(0)).answer;
  EXPECT_EQ(std::get<Refusal>(unset).kind, RefusalKind::kForbidden);
  const Principal root = ourselves();
  const auto nothing = apply(state, TenantSetAsked{root, "a", {}}, at_second(0)).answer;
  EXPECT_EQ(std::get<Refusal>(nothing).kind, RefusalKind::kInvalid);
  const auto unknown = preview(state, TenantUnsetAsked{root, "a"}, at_second(0));
  EXPECT_EQ(std::get<Refusal>(unknown).kind, RefusalKind::kNotFound);
}

TenantRule any_rule() {
  TenantRule rule;
  if (*rc::gen::arbitrary<bool>()) rule.cards = *rc::gen::inRange<std::uint64_t>(0, 4);
  if (*rc::gen::arbitrary<bool>()) rule.vram_bytes = *rc::gen::inRange<std::uint64_t>(0, 60) * kGiB;
  if (*rc::gen::arbitrary<bool>()) rule.running = *rc::gen::inRange<std::uint64_t>(0, 4);
  if (*rc::gen::inRange(0, 4) == 0) rule.gpu_hours = parse_gpu_hours("1/day");
  if (*rc::gen::inRange(0, 4) == 0) rule.time_limit_s = *rc::gen::inRange<std::uint64_t>(1, 5000);
  rule.weight = *rc::gen::inRange(1, 5);
  return rule;
}

Ask any_ask() {
  Ask job = ask();
  job.uid(static_cast<std::uint32_t>(*rc::gen::inRange(1, 4)));
  const int least = *rc::gen::inRange(0, 4);
  job.gpus(least, least == 0 ? 0 : least + *rc::gen::inRange(0, 3));
  if (least > 0 && *rc::gen::arbitrary<bool>()) job.vram(*rc::gen::inRange<std::uint64_t>(1, 24));
  if (least > 0 && *rc::gen::inRange(0, 6) == 0) job.spec().needs.cpu_use = CpuUse::kFallback;
  if (*rc::gen::arbitrary<bool>()) job.time(*rc::gen::inRange(1, 8000));
  job.priority(*rc::gen::inRange(30, 80));
  return job;
}

// What each tenant may exceed: what it held when its quota was lowered, until that has ended.
void check_quotas(const State& state, const std::map<std::string, TenantHolds>& before) {
  for (const auto& [name, entry] : state.tenants().entries()) {
    const auto found = before.find(name);
    const TenantHolds had = found == before.end() ? TenantHolds{} : found->second;
    const auto within = [](std::uint64_t now, std::uint64_t limit, std::uint64_t then) {
      return now <= limit || now <= then;
    };
    RC_ASSERT(within(entry.holds.cards, entry.terms.cards, had.cards));
    RC_ASSERT(within(entry.holds.vram_bytes, entry.terms.vram_bytes, had.vram_bytes));
    RC_ASSERT(within(entry.holds.running, entry.terms.running, had.running));
  }
}

std::map<std::string, TenantHolds> holds_in(const State& state) {
  std::map<std::string, TenantHolds> holds;
  for (const auto& [name, entry] : state.tenants().entries()) holds[name] = entry.holds;
  return holds;
}

RC_GTEST_PROP(Quota, NobodyGetsAboveItUnderAnySequenceOfEvents, ()) {
  State state = machine(4, 24, 6);
  const int steps = *rc::gen::inRange(1, 50);
  for (int i = 0; i < steps; ++i) {
    const Now now = at_second(i * 500);
    const std::string tenant = "user" + std::to_string(*rc::gen::inRange(1, 4));
    apply(state, TimePassed{}, now);
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        apply(state, TenantSetAsked{ourselves(), tenant, any_rule(), *rc::gen::arbitrary<bool>()},
              now);
        break;
      case 1:
        apply(state, TenantUnsetAsked{ourselves(), tenant}, now);
        break;
      case 2:
        if (!state.active().empty()) finish(state, number_of(*state.active().begin()), 0, now);
        break;
      default:
        any_ask().submit(state, now);
    }
    const auto before = holds_in(state);
    std::vector<std::string> spent;
    for (const auto& [id, job] : state.jobs()) {
      const auto stop = quota_stop(state, Tentative(state), job, now);
      if (stop && !job.ended() && !job.active()) spent.push_back(to_string(id));
    }
    for (const std::uint64_t id : start_what_fits(state, now)) {
      RC_ASSERT(std::ranges::count(spent, std::to_string(id)) == 0);
    }
    check_quotas(state, before);
    state.check_invariants();
    RC_ASSERT(decide(state, now).decisions.empty());
    WaitingReasons reasons(state, now);
    for (const auto& [id, job] : state.jobs()) {
      const auto& said = reasons.of(job);
      RC_ASSERT(said.empty() == (job.active() || job.ended()));
      if (!said.empty()) RC_ASSERT(said.front().code != ReasonCode::kNext);
    }
  }
}

RC_GTEST_PROP(Tenants, ATurnThatIsUndoneLeavesNoTraceInThem, ()) {
  State state = machine(3, 24, 4);
  const int steps = *rc::gen::inRange(1, 30);
  for (int i = 0; i < steps; ++i) {
    const Now now = at_second(i * 700);
    const auto before = state.tenants().entries();
    const bool fails = *rc::gen::arbitrary<bool>();
    if (fails) {
      any_ask().submit(state, now);
      apply(state, TenantSetAsked{ourselves(), "user1", any_rule()}, now);
    } else {
      any_ask().submit(state, now);
    }
    apply(state, TimePassed{}, now);
    if (!state.active().empty() && *rc::gen::arbitrary<bool>()) {
      finish(state, number_of(*state.active().begin()), 0, now);
    }
    start_what_fits(state, now);
    if (!fails) {
      state.keep_changes();
      continue;
    }
    state.roll_back(now);
    state.check_invariants();
    const auto& after = state.tenants().entries();
    RC_ASSERT(after.size() == before.size());
    for (const auto& [name, entry] : before) {
      RC_ASSERT(after.at(name).kept == entry.kept);
      RC_ASSERT(after.at(name).terms == entry.terms);
      RC_ASSERT(after.at(name).rate == entry.rate);
      RC_ASSERT(after.at(name).holds == entry.holds);
      RC_ASSERT(after.at(name).waiting == entry.waiting);
    }
  }
}

}  // namespace
}  // namespace gpusched::testing
