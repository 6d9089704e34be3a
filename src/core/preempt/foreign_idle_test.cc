#include "core/preempt/foreign_idle.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

using Pids = std::vector<int>;

State with_idle_rule() {
  Rules rules;
  rules.room.idle_after = Seconds{60};
  State state = machine(1, 24, 8, rules);
  std::vector<Card> list = state.cards();
  list[0].moves = true;
  state.set_cards(std::move(list));
  return state;
}

SeenProcess idle_process(int pid, std::uint64_t gib, std::int64_t since = 0) {
  SeenProcess seen{.pid = pid};
  seen.vram_bytes = gib * kGiB;
  seen.user = "lab";
  seen.command = "/usr/bin/python3 notebook.py";
  seen.idle_since = at_second(since).wall;
  return seen;
}

void look_at_card(State& state, std::vector<SeenProcess> processes, std::int64_t second) {
  CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
  view.processes = std::move(processes);
  apply(state, CardSeen{CardNumber{0}, view}, view.at);
}

const std::vector<ForeignRule> kAnybody = {{"*", "*"}};

TEST(ForeignRules, AreProgramsWithOrWithoutAUser) {
  const std::vector<ForeignRule> expected = {{"*", "jupyter"}, {"lab", "*"}};
  EXPECT_EQ(foreign_rules_of(" jupyter, ,lab:*"), expected);
  EXPECT_TRUE(foreign_rules_of("").empty());
}

TEST(ForeignIdle, IsAdoptedWhenSomebodyWaitsForItsMemory) {
  State state = with_idle_rule();
  look_at_card(state, {idle_process(7, 16)}, 100);
  EXPECT_TRUE(look_at_foreign(state, kAnybody, at_second(100)).adopt.empty()) << "nobody waits";
  ask().vram(20).submit(state, at_second(100));
  EXPECT_TRUE(start_what_fits(state, at_second(100)).empty());
  EXPECT_EQ(look_at_foreign(state, kAnybody, at_second(100)).adopt, Pids{7});
  EXPECT_EQ(look_at_foreign(state, {{"lab", "python3"}}, at_second(100)).adopt, Pids{7});
  EXPECT_TRUE(look_at_foreign(state, {}, at_second(100)).adopt.empty()) << "off";
  EXPECT_TRUE(look_at_foreign(state, {{"lab", "jupyter"}}, at_second(100)).adopt.empty());
  EXPECT_TRUE(look_at_foreign(state, {{"other", "*"}}, at_second(100)).adopt.empty());
}

TEST(ForeignIdle, IsLeftAloneWhileItWorksOrWhenThatWouldNotHelp) {
  State state = with_idle_rule();
  ask().vram(20).submit(state, at_second(0));
  look_at_card(state, {idle_process(7, 16, 90)}, 100);
  EXPECT_TRUE(look_at_foreign(state, kAnybody, at_second(100)).adopt.empty()) << "not for long";
  SeenProcess busy = idle_process(8, 12, 0);
  busy.idle_since.reset();
  look_at_card(state, {idle_process(7, 10), busy}, 100);
  EXPECT_TRUE(look_at_foreign(state, kAnybody, at_second(100)).adopt.empty()) << "not enough";
  SeenProcess desktop = idle_process(9, 16);
  desktop.ignored = true;
  look_at_card(state, {desktop}, 100);
  EXPECT_TRUE(look_at_foreign(state, kAnybody, at_second(100)).adopt.empty());
}

TEST(ForeignIdle, OnlyAsManyGoAsAreNeeded) {
  State state = with_idle_rule();
  ask().vram(12).submit(state, at_second(0));
  look_at_card(state, {idle_process(7, 4), idle_process(8, 10), idle_process(9, 3)}, 100);
  EXPECT_EQ(look_at_foreign(state, kAnybody, at_second(100)).adopt, Pids{8});
}

TEST(ForeignIdle, WhatWasAdoptedForNothingIsLetGo) {
  State state = with_idle_rule();
  look_at_card(state, {idle_process(7, 16)}, 100);
  JobSpec spec;
  spec.argv = {"python3"};
  spec.environment = std::make_shared<Environment>();
  spec.adopted = std::make_shared<AdoptedProcess>(AdoptedProcess{7, Boot{}, true});
  AdoptAsked asked{.owner = {1, 1, "lab"}, .tenant = "lab", .spec = {}, .tree = {7}};
  asked.spec = std::make_shared<JobSpec>(spec);
  apply(state, asked, at_second(100));
  run(state, 1, at_second(100));
  EXPECT_EQ(look_at_foreign(state, kAnybody, at_second(101)).let_go, std::vector{JobId{1}})
      << "nobody waits any more";
  ask().vram(20).submit(state, at_second(101));
  EXPECT_TRUE(look_at_foreign(state, kAnybody, at_second(101)).let_go.empty());
  EXPECT_EQ(look_at_foreign(state, kAnybody, at_second(200)).let_go, std::vector{JobId{1}});
}

class ForeignWatched : public ::testing::Test {
 protected:
  ForeignWatched() : state_(with_idle_rule()) {
    look_at_card(state_, {idle_process(7, 16)}, 100);
    ask().vram(20).submit(state_, at_second(100));
  }
  static ForeignWatch::Terms terms(std::uint32_t uid = 0) {
    return {
        .rules = kAnybody, .environment = std::make_shared<Environment>(), .uid = uid, .pid = 4711};
  }
  RunningProcess process_{.pid = 7,
                          .started = at_second(0).boot,
                          .uid = 1000,
                          .gid = 100,
                          .plain_identity = true,
                          .argv = {"python3"},
                          .tree = {7, 8}};
  State state_;
};

TEST_F(ForeignWatched, LooksOnceASecond) {
  ForeignWatch watch(terms());
  EXPECT_EQ(watch.look(state_, at_second(100)).adopt, Pids{7});
  EXPECT_TRUE(watch.look(state_, at_second(100)).adopt.empty());
  EXPECT_EQ(watch.look(state_, at_second(101)).adopt, Pids{7});
}

TEST_F(ForeignWatched, AdoptsItForItsOwnerAndDoesNotTryAgainAtOnce) {
  ForeignWatch watch(terms());
  const auto asked = watch.adopt(state_, process_, at_second(100));
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->owner, (Identity{1000, 100, "lab"})) << "as it was seen on the card";
  EXPECT_TRUE(asked->spec->adopted->by_rule);
  EXPECT_LT(asked->priority, 50);
  EXPECT_EQ(asked->tree, process_.tree);
  apply(state_, *asked, at_second(100));
  EXPECT_EQ(state_of(state_, 2), "starting");
  EXPECT_FALSE(watch.adopt(state_, process_, at_second(101)));
  RunningProcess other = process_;
  other.started = at_second(50).boot;
  EXPECT_TRUE(watch.adopt(state_, other, at_second(101))) << "the number was given to another one";
  (void)watch.look(state_, at_second(500));
  EXPECT_TRUE(watch.adopt(state_, process_, at_second(500)));
}

TEST_F(ForeignWatched, LeavesWhatIsOutOfReachAlone) {
  EXPECT_FALSE(ForeignWatch(terms(1001)).adopt(state_, process_, at_second(100)));
  EXPECT_TRUE(ForeignWatch(terms(1000)).adopt(state_, process_, at_second(100)));
  RunningProcess privileged = process_;
  privileged.plain_identity = false;
  EXPECT_FALSE(ForeignWatch(terms(1000)).adopt(state_, privileged, at_second(100)));
  RunningProcess above = process_;
  above.tree.push_back(4711);
  EXPECT_FALSE(ForeignWatch(terms()).adopt(state_, above, at_second(100)));
}

}  // namespace
}  // namespace gpusched::testing
