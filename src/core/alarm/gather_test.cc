#include "core/alarm/gather.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/core_builders.h"

namespace gpusched {
namespace {

using testing::ask;
using testing::at_second;
using testing::kGiB;
using testing::machine;

JobId submitted(const Answer& answer) { return std::get<Submitted>(answer).first; }

AlarmFacts facts_of(const State& state, Now now) {
  AlarmFacts facts;
  gather_facts(state, facts, now);
  return facts;
}

TEST(AlarmGather, AFreeCardAndAJobThatFits) {
  State state = machine(2, 24);
  const Now now = at_second(0);
  const JobId small = submitted(ask().vram(8).submit(state, now));
  const AlarmFacts facts = facts_of(state, now);
  ASSERT_EQ(facts.cards.size(), 2U);
  EXPECT_EQ(facts.cards[0].fits, small);
  EXPECT_EQ(facts.cards[1].fits, small);
  State other = machine(1, 24);
  ask().gpus(2).vram(8).submit(other, now);  // More cards than there are free.
  EXPECT_EQ(facts_of(other, now).cards[0].fits, std::nullopt);
}

TEST(AlarmGather, TheJobThatWaitsLongestAlsoWhenItIsOverdue) {
  Rules rules;
  rules.overdue_after = Seconds{100};
  State state = machine(0, 24, 8, rules);
  EXPECT_EQ(state.waits_longest(), std::nullopt);
  const JobId first = submitted(ask().gpus(0).submit(state, at_second(0)));
  ask().gpus(0).submit(state, at_second(50));
  EXPECT_EQ(state.waits_longest(), first);
  apply(state, TimePassed{}, at_second(120));
  state.advance(at_second(120));
  EXPECT_EQ(state.waits_longest(), first);
  apply(state, CancelAsked{ourselves(), {first}, {}}, at_second(121));
  EXPECT_EQ(facts_of(state, at_second(122)).longest_wait->since, at_second(50).wall);
}

TEST(AlarmGather, ForeignMemoryAndIdleHolders) {
  State state = machine(1, 24);
  const Now now = at_second(5000);
  CardView view{.condition = CardCondition::kOk, .at = now};
  view.used_bytes = 6 * kGiB;
  SeenProcess process;
  process.pid = 4711;
  process.user = "ml2";
  process.vram_bytes = 5 * kGiB;
  process.idle_since = at_second(0).wall;
  view.processes = {process};
  state.observe(CardNumber{0}, view);
  const AlarmFacts facts = facts_of(state, now);
  EXPECT_EQ(facts.cards[0].foreign_bytes, 5 * kGiB);
  ASSERT_EQ(facts.idle_holders.size(), 1U);
  EXPECT_EQ(facts.idle_holders[0].subject, "process 4711");
  EXPECT_EQ(facts.idle_holders[0].user, "ml2");
  EXPECT_TRUE(facts.all_cards_seen);
}

TEST(AlarmGather, EndsOfATurnAreCountedByProgram) {
  State state = machine(0, 24);
  std::vector<TrailEntry> trail;
  for (int i = 0; i < 4; ++i) {
    const JobId id = submitted(ask().gpus(0).submit(state, at_second(i)));
    Job job = *state.find(id);
    job.state = Ended{.outcome = i == 1 ? Outcome::kCompleted : Outcome::kFailed};
    state.put(job, at_second(i));
    trail.push_back({.job = id, .kind = i == 1 ? "completed" : "failed", .text = "exit code 1"});
  }
  std::vector<EndedFact> ended;
  add_ended(state, trail, ended);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].failed, 3U);
  EXPECT_EQ(ended[0].failed_last, 2U);
  EXPECT_TRUE(ended[0].went_well);
  EXPECT_EQ(ended[0].how, "exit code 1");
}

}  // namespace
}  // namespace gpusched
