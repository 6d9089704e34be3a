// Backfill in virtual time: what passes the first waiting job never delays it, and under whatever
// arrives later that job is served in bounded time.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <queue>

#include "core/decide/decide.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;

// A machine on which jobs really end: at the end of their true run time.
class Course {
 public:
  explicit Course(State state) : state_(std::move(state)) {}
  State& state() { return state_; }

  // REQUIRES: no job asks for more than the machine has.
  std::uint64_t submit(Ask ask, std::int64_t true_seconds, std::int64_t now) {
    const Answer answer = ask.submit(state_, at_second(now));
    const auto id = number_of(std::get<Submitted>(answer).first);
    lasts_[id] = true_seconds;
    return id;
  }
  // Ends what is over by `now` and starts what may start; the decision is returned.
  Decided turn(std::int64_t now) {
    while (!ends_.empty() && ends_.top().first <= now) {
      finish(state_, ends_.top().second, 0, at_second(now));
      ends_.pop();
    }
    apply(state_, TimePassed{}, at_second(now));
    Decided decided = decide(state_, at_second(now));
    for (const Decision& decision : decided.decisions) {
      accept(state_, decision, at_second(now));
      const auto id = number_of(std::get<Start>(decision).job);
      run(state_, id, at_second(now));
      started_[id] = now;
      ends_.emplace(now + lasts_.at(id), id);
    }
    return decided;
  }
  std::optional<std::int64_t> next_end() const {
    if (ends_.empty()) return std::nullopt;
    return ends_.top().first;
  }
  std::optional<std::int64_t> started(std::uint64_t job) const {
    const auto found = started_.find(job);
    if (found == started_.end()) return std::nullopt;
    return found->second;
  }

 private:
  using EndsAt = std::pair<std::int64_t, std::uint64_t>;
  State state_;
  std::map<std::uint64_t, std::int64_t> lasts_;
  std::map<std::uint64_t, std::int64_t> started_;
  std::priority_queue<EndsAt, std::vector<EndsAt>, std::greater<>> ends_;
};

constexpr int kCards = 4;
constexpr std::int64_t kLongest = 1000;

Ask any_need() {
  Ask job = ask();
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      job.gpus(0).cpus(*rc::gen::inRange(1, 7));
      break;
    case 1:
      job.vram(*rc::gen::inRange<std::uint64_t>(1, 24));
      break;
    case 2:
      job.gpus(*rc::gen::inRange(1, kCards + 1)).vram(*rc::gen::inRange<std::uint64_t>(1, 24));
      break;
    default:
      job.gpus(*rc::gen::inRange(1, kCards + 1));
  }
  if (*rc::gen::inRange(0, 3) == 0) job.cpus(*rc::gen::inRange(1, 7));
  if (*rc::gen::inRange(0, 4) == 0) {
    job.spec().needs.ram_bytes = *rc::gen::inRange<std::uint64_t>(1, 65) * kGiB;
  }
  if (*rc::gen::inRange(0, 6) == 0) job.spec().needs.cpu_use = CpuUse::kPrefer;
  return job;
}

RC_GTEST_PROP(Backfill, TheReservedStartNeverMovesBackWhenLimitsAreTrue, ()) {
  Course course(machine(kCards, 24, 6, without_moves()));
  std::map<std::uint64_t, Wall> promised;
  std::int64_t now = 0;
  const int jobs = *rc::gen::inRange(2, 25);
  for (int i = 0; i < jobs || course.next_end(); ++i) {
    if (i < jobs) {
      const auto limit = *rc::gen::inRange<std::int64_t>(1, kLongest);
      course.submit(any_need().time(limit), *rc::gen::inRange<std::int64_t>(1, limit + 1), now);
    }
    const Decided decided = course.turn(now);
    for (const auto& [job, latest] : promised) {
      const auto started = course.started(job);
      if (started) RC_ASSERT(at_second(*started).wall <= latest);
    }
    // Nothing is unknown here, so the first that waits knows when.
    if (decided.reserved) {
      RC_ASSERT(decided.reserved->start.has_value());
      const auto job = number_of(decided.reserved->job);
      const auto [known, fresh] = promised.emplace(job, *decided.reserved->start);
      RC_ASSERT(fresh || *decided.reserved->start <= known->second);
      RC_ASSERT(at_second(now).wall <= known->second);
    }
    RC_ASSERT(decide(course.state(), at_second(now)).decisions.empty());
    const auto pause = *rc::gen::inRange<std::int64_t>(0, 300);
    if (i < jobs && course.next_end()) {
      now = std::min(now + pause, std::max(now, *course.next_end()));
    } else if (course.next_end()) {
      now = std::max(now, *course.next_end());
    }
  }
  RC_ASSERT(course.state().pending().size() == 0u);
}

// The first waiting job against a stream that never ends: limits, no limits, or some.
RC_GTEST_PROP(Backfill, AJobIsServedInBoundedTimeWhateverComesAfterIt, ()) {
  Course course(machine(kCards, 24, 6, without_moves()));
  const auto arrive = [&](std::int64_t now) {
    const auto lasts = *rc::gen::inRange<std::int64_t>(1, kLongest + 1);
    Ask job = any_need();
    if (*rc::gen::arbitrary<bool>()) job.time(*rc::gen::inRange(lasts, kLongest + 1));
    job.priority(*rc::gen::inRange(0, 51));
    return course.submit(std::move(job), lasts, now);
  };
  const int before = *rc::gen::inRange(0, 8);
  for (int i = 0; i < before; ++i) arrive(0);
  course.turn(0);
  const auto first = course.submit(any_need().priority(60), 10, 1);
  std::int64_t now = 1;
  while (!course.started(first)) {
    // What runs at first, then the limits of what slipped in beside it.
    RC_ASSERT(now <= 2 * kLongest + 1);
    for (int i = *rc::gen::inRange(0, 3); i > 0; --i) arrive(now);
    course.turn(now);
    now = std::min(now + 50, std::max(now + 1, course.next_end().value_or(now + 50)));
  }
}

TEST(Backfill, LongJobsMayUseWhatTheReservedOneWillNotNeed) {
  State state = machine(4, 24);
  ask().gpus(3).time(1000).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().gpus(2).time(1000).submit(state, at_second(1));  // After 1000 s there are four for it.
  ask().submit(state, at_second(2));                     // No limit: takes one of the two left.
  ask().gpus(2).submit(state, at_second(3));
  EXPECT_EQ(start_what_fits(state, at_second(4)), Jobs{3});
}

TEST(Backfill, BesideAReservedPartOfACardOthersMayStay) {
  State state = machine(1, 24);
  ask().vram(20).share(10).time(1000).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().vram(20).share(10).submit(state, at_second(1));
  ask().vram(2).share(10).submit(state, at_second(2));  // 20 + 2 fit when the first has ended.
  ask().vram(1).share(10).submit(state, at_second(3));  // One more would not.
  EXPECT_EQ(start_what_fits(state, at_second(5)), Jobs{3});
  finish(state, 1, 0, at_second(6));
  EXPECT_EQ(start_what_fits(state, at_second(6)), Jobs{2});
}

TEST(Backfill, CpusAreReservedLikeCards) {
  State state = machine(0, 24, 8);
  ask().gpus(0).cpus(6).time(100).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().gpus(0).cpus(7).submit(state, at_second(1));
  EXPECT_EQ(decide(state, at_second(1)).reserved->start, at_second(100).wall);
  ask().gpus(0).cpus(2).submit(state, at_second(2));            // Would still hold them then.
  ask().gpus(0).cpus(2).time(50).submit(state, at_second(3));   // Over by then.
  ask().gpus(0).cpus(1).time(500).submit(state, at_second(4));  // Fits beside.
  EXPECT_EQ(start_what_fits(state, at_second(5)), Jobs{4});
  finish(state, 4, 0, at_second(50));
  EXPECT_EQ(start_what_fits(state, at_second(50)), Jobs{5});
}

TEST(Backfill, AJobThatTakesMoreThanItAskedForTakesThatAlongWhenItEnds) {
  State state = machine(1, 24);
  ask().vram(10).share(10).time(1000).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  CardView seen{.condition = CardCondition::kOk, .reason = {}, .at = at_second(1)};
  seen.processes.push_back({.pid = 5, .vram_bytes = 14 * kGiB});
  seen.processes.back().attempt = state.find(JobId{1})->current_attempt();
  state.observe(CardNumber{0}, seen);
  ask().vram(22).share(10).submit(state, at_second(2));
  ask().vram(4).share(10).submit(state, at_second(3));  // Would still be there.
  EXPECT_EQ(decide(state, at_second(4)).reserved->start, at_second(1000).wall);
  EXPECT_EQ(start_what_fits(state, at_second(4)), Jobs{});
}

TEST(Backfill, WhatRunsPastItsLimitIsNotExpectedAtOnceForever) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().gpus(2).submit(state, at_second(1));
  ask().time(5).submit(state, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(3)), Jobs{});
  EXPECT_FALSE(decide(state, at_second(3)).reserved->start.has_value());
}

}  // namespace
}  // namespace gpusched::testing
