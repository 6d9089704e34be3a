// The sums of work: what they count, once, and that they outlive jobs.
#include <gtest/gtest.h>

#include "core/apply/retention.h"
#include "core/model/tenant.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

constexpr std::int64_t kDay = 86'400;
// at_second(kMidnight) begins a day.
constexpr std::int64_t kMidnight = kDay - 1'700'000'000 % kDay;

WorkSums all_of(const StateView& state) {
  WorkSums all;
  for (const auto& [key, row] : state.work()) all.add(row.sums);
  return all;
}

void end(State& state, std::uint64_t job, std::int64_t begin, std::int64_t at, int code = 0) {
  AttemptFinished report{.attempt = state.find(JobId{job})->current_attempt()};
  report.exit_code = code;
  report.started_at = at_second(begin).wall;
  report.ended_at = at_second(at).wall;
  apply(state, report, at_second(at));
}

TEST(WorkSums, AnAttemptCountsOnTheDaysOnWhichItRan) {
  State state = machine(1, 24);
  ask().submit(state, at_second(kMidnight - 100));
  start_what_fits(state, at_second(kMidnight - 100));
  end(state, 1, kMidnight - 100, kMidnight + 300);
  ASSERT_EQ(state.work().size(), 2U);
  const WorkSum& first = state.work().begin()->second;
  const WorkSum& second = std::next(state.work().begin())->second;
  EXPECT_EQ(first.key.day + 1, second.key.day);
  EXPECT_DOUBLE_EQ(first.sums.gpu_seconds, 100);
  EXPECT_DOUBLE_EQ(first.sums.hours.of(23), 100);
  EXPECT_DOUBLE_EQ(second.sums.gpu_seconds, 300);
  EXPECT_DOUBLE_EQ(second.sums.hours.of(0), 300);
  EXPECT_EQ(second.sums.jobs, 1);
  EXPECT_EQ(first.sums.jobs, 0);
  EXPECT_EQ(second.key.model, "Test 24G");
  EXPECT_EQ(second.key.program, "true");
}

TEST(WorkSums, ARetryIsAnotherAttemptOfTheSameJobAndAFailureByItsCause) {
  State state = machine(2, 24);
  ask().gpus(2).retries(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  end(state, 1, 0, 10, 3);
  EXPECT_EQ(state_of(state, 1), "queued");
  apply(state, TimePassed{}, at_second(100));
  start_what_fits(state, at_second(100));
  // Somebody heard of it late: it counts until it ended.
  AttemptFinished late{.attempt = {JobId{1}, 2}, .exit_code = 3};
  late.started_at = at_second(100).wall;
  late.ended_at = at_second(120).wall;
  apply(state, late, at_second(5000));
  const WorkSums all = all_of(state);
  EXPECT_DOUBLE_EQ(all.jobs, 1);
  EXPECT_DOUBLE_EQ(all.attempts, 2);
  EXPECT_DOUBLE_EQ(all.gpu_seconds, 60);
  EXPECT_DOUBLE_EQ(all.failures.of(static_cast<std::uint8_t>(Cause::kExit)), 2);
  EXPECT_DOUBLE_EQ(all.waits.total(), 1) << "the wait before the first start";
}

TEST(WorkSums, ARequeuedJobIsNotAnotherJob) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  for (std::int64_t at : {0, 100}) {
    start_what_fits(state, at_second(at));
    end(state, 1, at, at + 10);
    apply(state, RequeueAsked{ourselves(), {JobId{1}}, {}}, at_second(at + 20));
  }
  EXPECT_DOUBLE_EQ(all_of(state).jobs, 1);
  EXPECT_DOUBLE_EQ(all_of(state).attempts, 2);
}

TEST(WorkSums, SayWhoHeldTheCardsWhileOthersWaited) {
  State state = machine(1, 24);
  ask().uid(1).submit(state, at_second(0));
  ask().uid(2).submit(state, at_second(10));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  end(state, 1, 0, 100);
  start_what_fits(state, at_second(110));
  ASSERT_EQ(state_of(state, 2), "starting");
  double seconds = 0;
  for (const auto& [key, row] : state.work()) {
    if (key.tenant == "user2" && row.sums.waited_for.contains("user1")) {
      seconds += row.sums.waited_for.at("user1");
    }
  }
  EXPECT_DOUBLE_EQ(seconds, 100);
}

TEST(WorkSums, StayWhenTheJobsGo) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  end(state, 1, 0, 50);
  const auto before = state.work();
  apply(state, RetentionDue{10}, at_second(40 * kDay));
  EXPECT_EQ(state_of(state, 1), "gone");
  EXPECT_EQ(state.work(), before);
}

TEST(WorkSums, DaysBecomeMonthsAndGoInTheEnd) {
  State state = machine(1, 24);
  for (int i = 0; i < 3; ++i) {
    const std::int64_t at = i * kDay;
    ask().submit(state, at_second(at));
    start_what_fits(state, at_second(at));
    end(state, static_cast<std::uint64_t>(i) + 1, at, at + 50);
  }
  const WorkSums all = all_of(state);
  ASSERT_EQ(state.work().size(), 3U);
  const auto due = next_work_due(state);
  ASSERT_TRUE(due);
  const std::int64_t later = (*due - at_second(0).wall) / Microseconds{Seconds{1}};
  apply(state, RetentionDue{10}, at_second(later - 1));
  EXPECT_EQ(state.work().size(), 3U);
  // A part at a time; in between nothing is lost.
  apply(state, RetentionDue{1}, at_second(later));
  EXPECT_EQ(all_of(state), all);
  apply(state, RetentionDue{10}, at_second(later));
  ASSERT_EQ(state.work().size(), 1U);
  EXPECT_TRUE(state.work().begin()->first.month);
  EXPECT_EQ(all_of(state), all);
  apply(state, RetentionDue{10}, at_second(later + 800 * kDay));
  EXPECT_TRUE(state.work().empty());
}

TEST(WorkSums, TheNamesOfWhatWasUsedLeastGoFirst) {
  State state = machine(1, 24);
  for (int i = 1; i <= 500; ++i) {
    Ask job = ask();
    job.spec().name = "n" + std::to_string(i);
    job.submit(state, at_second(0));
    const std::int64_t at = kMidnight + i * 20;
    start_what_fits(state, at_second(at));
    end(state, static_cast<std::uint64_t>(i), at, at + (i == 7 ? 19 : 1));
  }
  EXPECT_LE(state.work().size(), 400U);
  EXPECT_DOUBLE_EQ(all_of(state).jobs, 500);
  bool kept = false;
  for (const auto& [key, row] : state.work()) kept = kept || key.name == "n7";
  EXPECT_TRUE(kept) << "the one that used most";
}

TEST(WorkSums, OfAStoreWithoutThemAreMadeFromItsJobs) {
  State old = machine(1, 24);
  ask().submit(old, at_second(0));
  start_what_fits(old, at_second(30));
  end(old, 1, 30, 50);
  State anew = machine(1, 24);
  anew.put(*old.find(JobId{1}), at_second(60));
  anew.count_past_work();
  EXPECT_EQ(all_of(anew).gpu_seconds, 20);
  EXPECT_EQ(all_of(anew).waited_seconds, 30);
  const auto once = anew.work();
  anew.count_past_work();
  EXPECT_EQ(anew.work(), once);
}

TEST(WorkSums, NothingIsCountedWhereThatIsSet) {
  Rules rules;
  rules.work_keep_for = Seconds{0};
  State state = machine(1, 24, 8, rules);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  end(state, 1, 0, 50);
  EXPECT_TRUE(state.work().empty());
}

}  // namespace
}  // namespace gpusched::testing
