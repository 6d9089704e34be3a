#include "core/backfill/deadline.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/explain/look_ahead.h"
#include "core/share/order.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

constexpr std::int64_t kHourLong = 3600;

std::vector<std::uint64_t> order_of_ids(const State& state, std::int64_t second) {
  std::vector<std::uint64_t> ids;
  for (const JobId id : waiting_in_order(state, 100, at_second(second))) {
    ids.push_back(number_of(id));
  }
  return ids;
}

std::size_t notes_about_deadlines(const State& state) {
  const auto trail = state.changes().trail;
  return static_cast<std::size_t>(std::ranges::count_if(
      trail, [](const TrailEntry& entry) { return std::string(entry.kind) == "deadline"; }));
}

// An hour of run time and the usual slack: raised an hour and 40 minutes before the deadline.
Ask hour_by(std::int64_t second) {
  Ask job = ask();
  job.time(kHourLong).deadline(at_second(second).wall);
  return job;
}

TEST(Deadline, RaisesAJobInItsBandAtAKnownInstantAndNotBefore) {
  State state = machine(1, 24);
  ask().time(10 * kHourLong).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().submit(state, at_second(1));
  hour_by(5 * kHourLong).submit(state, at_second(2));
  const std::int64_t raised = 5 * kHourLong - kHourLong - kHourLong / 2 - 600;
  EXPECT_EQ(order_of_ids(state, 2), (std::vector<std::uint64_t>{2, 3}));
  apply(state, TimePassed{}, at_second(raised - 1));
  EXPECT_EQ(order_of_ids(state, raised - 1), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_LE(*state.next_deadline(at_second(raised - 1)), at_second(raised).boot);
  apply(state, TimePassed{}, at_second(raised));
  EXPECT_EQ(order_of_ids(state, raised), (std::vector<std::uint64_t>{3, 2}));
  state.check_invariants();
}

TEST(Deadline, TheJobThatMustStartFirstIsFirstWhateverItsPriorityInTheBand) {
  State state = machine(1, 24);
  ask().time(10 * kHourLong).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().priority(69).submit(state, at_second(1));
  hour_by(2 * kHourLong).priority(60).submit(state, at_second(2));
  hour_by(2 * kHourLong - 60).priority(45).submit(state, at_second(3));
  EXPECT_EQ(order_of_ids(state, 3 + 1200), (std::vector<std::uint64_t>{2, 3, 4}));
  apply(state, TimePassed{}, at_second(1200));
  EXPECT_EQ(order_of_ids(state, 1200), (std::vector<std::uint64_t>{4, 3, 2}));
}

TEST(Deadline, NeverReachesIntoAnotherBand) {
  State state = machine(1, 24);
  ask().time(10 * kHourLong).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  hour_by(kHourLong + 60).priority(30).submit(state, at_second(1));
  ask().priority(50).submit(state, at_second(2));
  EXPECT_EQ(order_of_ids(state, 2), (std::vector<std::uint64_t>{3, 2}));
}

TEST(Deadline, AnOverdueJobStillComesFirst) {
  Rules rules;
  rules.overdue_after = Seconds{100};
  State state = machine(1, 24, 8, rules);
  ask().time(10 * kHourLong).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().submit(state, at_second(1));
  hour_by(kHourLong + 300).submit(state, at_second(101));
  apply(state, TimePassed{}, at_second(102));
  EXPECT_EQ(order_of_ids(state, 102), (std::vector<std::uint64_t>{2, 3}));
}

TEST(Deadline, OnceItHasPassedTheJobHasItsUsualPlaceAndTheTrailSaidOnceThatItCannotBeMet) {
  State state = machine(1, 24);
  ask().time(20 * kHourLong).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().submit(state, at_second(1));
  // It could start in time if the first job let it: nothing is said of that yet.
  hour_by(3 * kHourLong).submit(state, at_second(2));
  state.keep_changes();
  apply(state, TimePassed{}, at_second(kHourLong + 1800));
  EXPECT_EQ(notes_about_deadlines(state), 0U);
  apply(state, TimePassed{}, at_second(2 * kHourLong));
  EXPECT_EQ(order_of_ids(state, 2 * kHourLong), (std::vector<std::uint64_t>{3, 2}));
  EXPECT_EQ(notes_about_deadlines(state), 1U);
  apply(state, TimePassed{}, at_second(2 * kHourLong + 10));
  apply(state, TimePassed{}, at_second(3 * kHourLong));
  EXPECT_EQ(order_of_ids(state, 3 * kHourLong), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(notes_about_deadlines(state), 1U);
  state.check_invariants();
}

TEST(Deadline, OfAProgramNeverSeenNobodySaysHowLongItTakes) {
  State state = machine(1, 24);
  ask().time(10 * kHourLong).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().deadline(at_second(600).wall).submit(state, at_second(1));
  const Job& job = *state.find(JobId{2});
  EXPECT_FALSE(run_is_known(state, job));
  expect_words(deadline_warning(state, job, std::nullopt, at_second(1)));
  expect_words(deadline_warning(state, job, at_second(10 * kHourLong).wall, at_second(1)));
  state.keep_changes();
  apply(state, TimePassed{}, at_second(599));
  EXPECT_EQ(notes_about_deadlines(state), 0U);
  apply(state, TimePassed{}, at_second(601));
  EXPECT_EQ(notes_about_deadlines(state), 1U);
  expect_words(state.changes().trail.back().text);
}

TEST(Deadline, ASubmissionThatCannotMeetItSaysSoInTheTrail) {
  State state = machine(1, 24);
  ask().time(10 * kHourLong).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  state.keep_changes();
  hour_by(kHourLong - 60).submit(state, at_second(1));
  EXPECT_EQ(notes_about_deadlines(state), 1U);
  expect_words(deadline_warning(state, *state.find(JobId{2}), std::nullopt, at_second(1)));
  // The card is not free in time, whoever comes first in the queue.
  hour_by(5 * kHourLong).submit(state, at_second(1));
  EXPECT_EQ(notes_about_deadlines(state), 2U);
  const Job& job = *state.find(JobId{3});
  const auto start = earliest_start(state, job, at_second(1));
  expect_words(deadline_warning(state, job, start, at_second(1)));
  hour_by(20 * kHourLong).submit(state, at_second(1));
  EXPECT_EQ(notes_about_deadlines(state), 2U);
}

TEST(Deadline, ARunningJobThatWillBeLateIsToldApartFromOneThatWillNot) {
  State state = machine(2, 24);
  hour_by(2 * kHourLong).submit(state, at_second(0));
  hour_by(kHourLong + 10).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  run(state, 2, at_second(60));
  EXPECT_EQ(deadline_warning(state, *state.find(JobId{1}), std::nullopt, at_second(90)), "");
  expect_words(deadline_warning(state, *state.find(JobId{2}), std::nullopt, at_second(90)));
  expect_words(
      deadline_warning(state, *state.find(JobId{2}), std::nullopt, at_second(2 * kHourLong)));
}

TEST(Deadline, InThePastOrBeforeTheBeginningIsRefused) {
  State state = machine(1, 24);
  const Answer past = ask().deadline(at_second(5).wall).submit(state, at_second(5));
  expect_refused(RefusalKind::kInvalid, past);
  const Answer crossed =
      ask().deadline(at_second(50).wall).begin(at_second(60).wall).submit(state, at_second(5));
  expect_refused(RefusalKind::kInvalid, crossed);
}

TEST(Deadline, IsSetAndChangedWhileTheJobWaits) {
  State state = machine(1, 24);
  ask().time(10 * kHourLong).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().submit(state, at_second(1));
  ask().time(kHourLong).submit(state, at_second(2));
  SetAsked asked{.actor = ourselves(), .jobs = {JobId{3}}, .patch = {}};
  asked.patch.put(&SpecExtras::deadline, at_second(kHourLong + 60).wall);
  apply(state, asked, at_second(3));
  EXPECT_EQ(order_of_ids(state, 3), (std::vector<std::uint64_t>{3, 2}));
  asked.patch.put(&SpecExtras::deadline, at_second(10 * kHourLong).wall);
  apply(state, asked, at_second(4));
  EXPECT_EQ(order_of_ids(state, 4), (std::vector<std::uint64_t>{2, 3}));
  state.check_invariants();
}

// However jobs come and time goes, those whose deadline presses are first among the jobs of their
// band that are not overdue, in the order of their latest starts; and the indexes hold.
RC_GTEST_PROP(Deadline, PressingJobsLeadTheirBandByLatestStart, ()) {
  State state = machine(1, 24);
  const int jobs = *rc::gen::inRange(1, 20);
  std::int64_t now = 0;
  for (int i = 0; i < jobs; ++i) {
    now += *rc::gen::inRange(0, 2000);
    Ask job = ask();
    job.priority(*rc::gen::inRange(30, 80)).time(*rc::gen::inRange(60, 7200));
    if (*rc::gen::arbitrary<bool>()) {
      job.deadline(at_second(now + *rc::gen::inRange(1, 20'000)).wall);
    }
    job.submit(state, at_second(now));
    apply(state, TimePassed{}, at_second(now));
    state.check_invariants();
  }
  now += *rc::gen::inRange(0, 10'000);
  apply(state, TimePassed{}, at_second(now));
  const Wall wall = at_second(now).wall;
  const Job* before = nullptr;
  for (const std::uint64_t id : order_of_ids(state, now)) {
    const Job& job = *state.find(JobId{id});
    const bool presses = job.spec->extras->deadline && deadline_times(state, job).presses(wall);
    if (before != nullptr && band_rank(before->priority) == band_rank(job.priority) && presses) {
      RC_ASSERT(before->spec->extras->deadline && deadline_times(state, *before).presses(wall));
      RC_ASSERT(deadline_times(state, *before).latest_start <=
                deadline_times(state, job).latest_start);
    }
    before = &job;
  }
}

}  // namespace
}  // namespace gpusched::testing
