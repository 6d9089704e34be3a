// What becomes a span of the past, and when: each stretch of a job's life once.
#include "core/state/past_spans.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

// What has ended since it was last asked.
std::vector<PastSpan> over_by(State& state, Now now) {
  std::vector<PastSpan> spans = state.past(now);
  state.keep_changes();
  return spans;
}

void ends_with(State& state, std::uint64_t job, std::int64_t begin, std::int64_t at, int code = 0) {
  AttemptFinished report{.attempt = state.find(JobId{job})->current_attempt()};
  report.exit_code = code;
  report.started_at = at_second(begin).wall;
  report.ended_at = at_second(at).wall;
  // Somebody hears of it late.
  apply(state, report, at_second(at + 7));
}

TEST(PastSpans, AJobOnTwoCardsIsTwoSpansFromItsStartToItsEnd) {
  State state = machine(2, 24);
  ask().gpus(2).submit(state, at_second(0));
  start_what_fits(state, at_second(5));
  run(state, 1, at_second(10));
  EXPECT_TRUE(over_by(state, at_second(10)).empty()) << "nothing is over";
  ends_with(state, 1, 10, 50);
  const auto spans = over_by(state, at_second(60));
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].card, CardNumber{0});
  EXPECT_EQ(spans[1].card, CardNumber{1});
  for (const PastSpan& span : spans) {
    EXPECT_EQ(span.kind, PastKind::kRun);
    EXPECT_EQ(span.attempt, (AttemptId{JobId{1}, 1}));
    EXPECT_EQ(span.from, at_second(10).wall);
    EXPECT_EQ(span.until, at_second(50).wall) << "when it ended, not when that was heard";
    EXPECT_EQ(span.submitted_at, at_second(0).wall);
    EXPECT_EQ(span.state, "completed");
    EXPECT_TRUE(span.cause.empty());
  }
  EXPECT_TRUE(over_by(state, at_second(61)).empty()) << "once";
}

TEST(PastSpans, AFailedAttemptHasItsCauseAlsoIfAnotherOneFollows) {
  State state = machine(1, 24);
  ask().retries(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ends_with(state, 1, 0, 20, 3);
  ASSERT_EQ(state_of(state, 1), "queued");
  const auto spans = over_by(state, at_second(30));
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].from, at_second(0).wall) << "its command ran, although nobody saw it start";
  EXPECT_EQ(spans[0].until, at_second(20).wall);
  EXPECT_EQ(spans[0].state, "failed");
  EXPECT_EQ(spans[0].cause, "exit");
}

TEST(PastSpans, OneThatStartsOverIsNoFailure) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  apply(state, RequeueAsked{ourselves(), {JobId{1}}, {}}, at_second(10));
  ends_with(state, 1, 0, 12, 143);
  const auto spans = over_by(state, at_second(20));
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].state, "requeued");
  EXPECT_TRUE(spans[0].cause.empty());
}

// A job's row as it is while it is aside, and back.
Job gone_aside(Job job, std::int64_t since, JobId for_job) {
  set_aside(job, {.phase = AsidePhase::kPausing,
                  .mechanism = Mechanism::kCheckpoint,
                  .for_job = for_job,
                  .since = at_second(since).wall});
  return job;
}

TEST(PastSpans, BeingAsideIsAGapThatSaysForWhomAndHow) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  state.put(gone_aside(*state.find(JobId{1}), 30, JobId{9}), at_second(30));
  auto spans = over_by(state, at_second(31));
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].kind, PastKind::kRun);
  EXPECT_EQ(spans[0].until, at_second(30).wall);
  EXPECT_EQ(spans[0].state, "paused");
  EXPECT_EQ(spans[0].for_job, JobId{9});
  EXPECT_EQ(spans[0].mechanism, "checkpoint");
  Job gone = *state.find(JobId{1});
  change_aside(gone).phase = AsidePhase::kPaused;
  state.put(gone, at_second(32));
  EXPECT_TRUE(over_by(state, at_second(32)).empty()) << "it is on its way, and there: one gap";
  const auto now = spans_under_way(*state.find(JobId{1}), state.cards(), at_second(33).wall);
  ASSERT_EQ(now.size(), 1U);
  EXPECT_EQ(now[0].kind, PastKind::kAside);
  EXPECT_EQ(now[0].from, at_second(30).wall);
  Job back = *state.find(JobId{1});
  return_to_cards(back, at_second(80).wall);
  state.put(back, at_second(80));
  spans = over_by(state, at_second(80));
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].kind, PastKind::kAside);
  EXPECT_EQ(spans[0].from, at_second(30).wall);
  EXPECT_EQ(spans[0].until, at_second(80).wall);
  EXPECT_EQ(spans[0].state, "running");
  EXPECT_EQ(spans[0].for_job, JobId{9});
  ends_with(state, 1, 0, 90);
  spans = over_by(state, at_second(90));
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].from, at_second(80).wall) << "where the gap ended";
}

TEST(PastSpans, ATurnThatIsUndoneLeavesNone) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  state.keep_changes();
  ends_with(state, 1, 0, 20);
  EXPECT_EQ(state.past(at_second(20)).size(), 1U);
  state.roll_back(at_second(21));
  EXPECT_TRUE(state.past(at_second(21)).empty());
}

TEST(PastSpans, DrainsAndAlarmsAreOverWhenTheirRowsGo) {
  State state = machine(2, 24);
  const std::string uuid = state.cards()[1].uuid;
  state.put(Drain{uuid, at_second(0).wall, "operator", "a new fan", DrainEnd::kByHand});
  Alarm hot{.key = {"temperature", "card 1"}, .severity = Severity::kWarning, .what = "91 °C"};
  hot.card = CardNumber{1};
  hot.since = at_second(3).wall;
  state.put(hot);
  EXPECT_TRUE(over_by(state, at_second(5)).empty());
  hot.what = "92 °C";
  state.put(hot);
  EXPECT_TRUE(over_by(state, at_second(6)).empty()) << "it is the same alarm";
  state.remove_drain(uuid);
  state.remove<Alarm>(hot.key);
  const auto spans = over_by(state, at_second(10));
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].kind, PastKind::kDrain);
  EXPECT_EQ(spans[0].card, CardNumber{1});
  EXPECT_EQ(spans[0].from, at_second(0).wall);
  EXPECT_EQ(spans[0].until, at_second(10).wall);
  EXPECT_EQ(spans[0].what, "a new fan");
  EXPECT_EQ(spans[1].kind, PastKind::kAlarm);
  EXPECT_EQ(spans[1].from, at_second(3).wall);
  EXPECT_EQ(spans[1].what, "92 °C");
}

TEST(PastSpans, AJobWithoutCardsIsASpanWithoutACard) {
  State state = machine(1, 24);
  ask().gpus(0).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ends_with(state, 1, 0, 20);
  const auto spans = over_by(state, at_second(20));
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_FALSE(spans[0].card);
}

TEST(PastSpans, OthersSeeTheNameAsItWasWritten) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  Job job = *state.find(JobId{1});
  auto spec = std::make_shared<JobSpec>(*job.spec);
  spec->name = "train-{lr}";
  job.spec = spec;
  job.task = std::make_shared<ArrayTask>(ArrayTask{JobId{1}, 0, {{"lr", "0.1"}}});
  const auto spans = spans_under_way(job, state.cards(), at_second(1).wall);
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].name, "train-0.1");
  EXPECT_EQ(spans[0].shown_name, "train-{lr}");
}

}  // namespace
}  // namespace gpusched::testing
