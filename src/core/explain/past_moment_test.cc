#include "core/explain/past_moment.h"

#include <gtest/gtest.h>

#include "core/explain/explain.h"
#include "core/state/past_spans.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

// A machine with its past, as a daemon would have it.
struct CourseThen {
  State state = machine(1, 24);
  std::vector<PastSpan> past = {};

  void keep(std::int64_t second) {
    std::ranges::move(state.past(at_second(second)), std::back_inserter(past));
    state.keep_changes();
  }
  void starts(std::uint64_t job, std::int64_t second) {
    start_what_fits(state, at_second(second));
    run(state, job, at_second(second));
    keep(second);
  }
  void ends(std::uint64_t job, std::int64_t second) {
    AttemptFinished report{.attempt = state.find(JobId{job})->current_attempt()};
    report.exit_code = 0;
    report.ended_at = at_second(second).wall;
    apply(state, report, at_second(second));
    keep(second);
  }
  StateThen at(std::int64_t second, std::int64_t now, std::optional<JobId> asked = {}) {
    PastMoment moment{.known = excerpt_then(state, at_second(second).wall, asked, at_second(now)),
                      .at = at_second(second).wall,
                      .spans = past,
                      .drains = {},
                      .held = {}};
    for (const JobId id : state.active()) {
      for (PastSpan& span : spans_under_way(*state.find(id), state.cards(), at_second(now).wall)) {
        moment.spans.push_back(std::move(span));
      }
    }
    return state_then(std::move(moment));
  }
};

std::vector<std::uint64_t> jobs_in(const std::vector<PastSpan>& spans) {
  std::vector<std::uint64_t> jobs;
  for (const PastSpan& span : spans) jobs.push_back(number_of(span.attempt.job));
  return jobs;
}
using JobsThen = std::vector<std::uint64_t>;

TEST(PastMoment, WhoRanRunsAndWhoWaitedWaitsWithTheReasonOfThen) {
  CourseThen course;
  ask().priority(50).submit(course.state, at_second(0));
  course.starts(1, 0);
  ask().priority(50).submit(course.state, at_second(10));
  ask().priority(80).submit(course.state, at_second(20));
  course.ends(1, 100);
  course.starts(3, 100);
  course.ends(3, 200);
  course.starts(2, 200);
  course.ends(2, 300);
  StateThen then = course.at(50, 1000);
  EXPECT_EQ(jobs_in(then.on_cards), (JobsThen{1}));
  EXPECT_EQ(then.waiting, (std::vector<JobId>{JobId{3}, JobId{2}})) << "in the order of the queue";
  const auto why = why_waiting(then.state, *then.state.find(JobId{2}), then.now);
  ASSERT_FALSE(why.empty());
  EXPECT_EQ(why[0].code, ReasonCode::kCards);
  EXPECT_EQ(why[0].jobs, (std::vector<JobId>{JobId{1}}));
  then = course.at(150, 1000);
  EXPECT_EQ(jobs_in(then.on_cards), (JobsThen{3}));
  EXPECT_EQ(then.waiting, (std::vector<JobId>{JobId{2}}));
  then = course.at(15, 1000);
  EXPECT_EQ(then.waiting, (std::vector<JobId>{JobId{2}})) << "the other was not there yet";
  then = course.at(500, 1000);
  EXPECT_TRUE(then.on_cards.empty() && then.waiting.empty());
}

TEST(PastMoment, WhatRunsNowRanThenToo) {
  CourseThen course;
  ask().submit(course.state, at_second(0));
  course.starts(1, 5);
  const StateThen then = course.at(50, 1000);
  EXPECT_EQ(jobs_in(then.on_cards), (JobsThen{1}));
  const StateThen before = course.at(3, 1000);
  EXPECT_TRUE(before.on_cards.empty());
  EXPECT_EQ(before.waiting, (std::vector<JobId>{JobId{1}}));
}

TEST(PastMoment, AJobThatIsGoneStillHoldsItsCard) {
  CourseThen course;
  ask().submit(course.state, at_second(0));
  course.starts(1, 0);
  ask().submit(course.state, at_second(10));
  course.ends(1, 100);
  course.starts(2, 100);
  course.state.remove(JobId{1});
  const StateThen then = course.at(50, 1000);
  EXPECT_EQ(jobs_in(then.on_cards), (JobsThen{1}));
  ASSERT_EQ(then.waiting, (std::vector<JobId>{JobId{2}}));
  const auto why = why_waiting(then.state, *then.state.find(JobId{2}), then.now);
  ASSERT_FALSE(why.empty());
  EXPECT_EQ(why[0].code, ReasonCode::kCards);
}

TEST(PastMoment, ADrainOfThenStandsInTheWayAndOneOfNowDoesNot) {
  CourseThen course;
  const std::string uuid = course.state.cards()[0].uuid;
  course.state.put(Drain{uuid, at_second(900).wall, "operator", "now", DrainEnd::kByHand});
  ask().submit(course.state, at_second(10));
  PastMoment moment{
      .known = excerpt_then(course.state, at_second(50).wall, JobId{1}, at_second(1000)),
      .at = at_second(50).wall,
      .spans = {},
      .drains = {},
      .held = {}};
  PastMoment drained = moment;
  drained.drains = {Drain{uuid, at_second(20).wall, "operator", "then", DrainEnd::kByHand}};
  StateThen then = state_then(std::move(moment));
  auto why = why_waiting(then.state, *then.state.find(JobId{1}), then.now);
  ASSERT_FALSE(why.empty());
  EXPECT_EQ(why[0].code, ReasonCode::kNext);
  then = state_then(std::move(drained));
  EXPECT_TRUE(then.state.cards()[0].drained);
  why = why_waiting(then.state, *then.state.find(JobId{1}), then.now);
  ASSERT_FALSE(why.empty());
  EXPECT_NE(why[0].code, ReasonCode::kNext);
}

TEST(PastMoment, WhoWasAsideIsAsideAndLeavesRoom) {
  CourseThen course;
  ask().submit(course.state, at_second(0));
  course.starts(1, 0);
  ask().priority(90).submit(course.state, at_second(20));
  PastSpan gap =
      spans_under_way(*course.state.find(JobId{1}), course.state.cards(), at_second(60).wall)[0];
  gap.kind = PastKind::kAside;
  gap.from = at_second(30).wall;
  gap.for_job = JobId{2};
  gap.mechanism = "checkpoint";
  PastMoment moment{.known = excerpt_then(course.state, at_second(50).wall, {}, at_second(1000)),
                    .at = at_second(50).wall,
                    .spans = {gap},
                    .drains = {},
                    .held = {JobId{2}}};
  const StateThen then = state_then(std::move(moment));
  EXPECT_TRUE(then.on_cards.empty());
  EXPECT_EQ(jobs_in(then.aside), (JobsThen{1}));
  EXPECT_TRUE(is_aside(*then.state.find(JobId{1})));
  EXPECT_EQ(why_waiting(then.state, *then.state.find(JobId{2}), then.now)[0].code,
            ReasonCode::kHeld);
}

}  // namespace
}  // namespace gpusched::testing
