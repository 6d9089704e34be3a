// Which attempts run under MPS, and what that keeps the planner from.
#include "core/place/under_mps.h"

#include <gtest/gtest.h>

#include "core/preempt/preempt.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

State with_mps(MpsUse use, int cards = 1) {
  Rules rules;
  rules.mps = use;
  State state = machine(cards, 24, 32, rules);
  std::vector<Card> list = state.cards();
  for (Card& card : list) card.has_mps = card.moves = true;
  state.set_cards(std::move(list));
  return state;
}

Ask limited(std::uint64_t gib) {
  Ask asked = ask();
  asked.spec().extras.edit().vram_limit_bytes = gib * kGiB;
  return asked;
}

// The job starts; is it under MPS?
bool granted(State& state, const Ask& asked) {
  asked.submit(state, at_second(0));
  const auto started = start_what_fits(state, at_second(0));
  if (started.size() != 1) {
    ADD_FAILURE() << started.size() << " jobs have started";
    return false;
  }
  return grant_of(*state.find(JobId{started[0]}))->mps;
}

TEST(Mps, HasAWordForEveryUse) {
  for (const MpsUse use : {MpsUse::kOff, MpsUse::kLimits, MpsUse::kAll}) {
    EXPECT_EQ(mps_use_named(mps_use_name(use)), use);
  }
  EXPECT_FALSE(mps_use_named("on"));
}

TEST(Mps, IsForThoseWhoAskForALimitOrForAllOrForNobody) {
  struct Case {
    MpsUse use;
    bool shared, limit, plain;
  };
  for (const Case& one :
       {Case{MpsUse::kOff, false, false, false}, Case{MpsUse::kLimits, true, true, false},
        Case{MpsUse::kAll, true, true, true}}) {
    State state = with_mps(one.use);
    EXPECT_EQ(granted(state, ask().vram(4).share(20)), one.shared) << mps_use_name(one.use);
    EXPECT_EQ(granted(state, limited(6).vram(4)), one.limit) << mps_use_name(one.use);
    EXPECT_EQ(granted(state, ask().vram(4)), one.plain) << mps_use_name(one.use);
  }
}

TEST(Mps, AWholeShareIsNoLimit) {
  State state = with_mps(MpsUse::kLimits);
  EXPECT_FALSE(granted(state, ask().vram(4).share(100)));
}

TEST(Mps, NotForAJobThatWantsItsCardAlone) {
  State state = with_mps(MpsUse::kAll);
  Ask alone = ask().vram(4).share(50);
  alone.spec().needs.exclusive = true;
  EXPECT_FALSE(granted(state, alone));
}

TEST(Mps, NotForSeveralCards) {
  State state = with_mps(MpsUse::kAll, 2);
  EXPECT_FALSE(granted(state, ask().gpus(2).vram(4)));
}

TEST(Mps, NotForAProcessThatWasThereBefore) {
  const State state = with_mps(MpsUse::kAll);
  const Grant grant{.cards = {{.card = CardNumber{0}, .vram_bytes = kGiB, .share_percent = 10}}};
  JobSpec spec;
  Job job;
  job.spec = std::make_shared<JobSpec>(spec);
  EXPECT_TRUE(runs_under_mps(state, job, grant));
  spec.adopted = std::make_shared<AdoptedProcess>(AdoptedProcess{.pid = 7});
  job.spec = std::make_shared<JobSpec>(spec);
  EXPECT_FALSE(runs_under_mps(state, job, grant));
  spec.adopted = nullptr;
  spec.lease = std::make_shared<LeaseTerms>();
  job.spec = std::make_shared<JobSpec>(spec);
  EXPECT_FALSE(runs_under_mps(state, job, grant));
}

TEST(Mps, ARuleForTheCardGoesBeforeTheSetting) {
  State state = with_mps(MpsUse::kOff);
  std::vector<Card> cards = state.cards();
  cards[0].mps = MpsUse::kAll;
  state.set_cards(cards);
  EXPECT_TRUE(granted(state, ask().vram(4)));
}

TEST(Mps, NotWhereTheCardHasNone) {
  State state = with_mps(MpsUse::kAll);
  std::vector<Card> cards = state.cards();
  cards[0].has_mps = false;
  state.set_cards(cards);
  EXPECT_FALSE(granted(state, ask().vram(4)));
}

TEST(Mps, AnAttemptThatRunsWithoutItAfterAllIsAnyOther) {
  State state = with_mps(MpsUse::kAll);
  EXPECT_TRUE(granted(state, ask().vram(4)));
  const Job& job = *state.find(JobId{1});
  apply(state, AttemptRunning{job.current_attempt(), at_second(1).wall, "no such program"},
        at_second(1));
  EXPECT_FALSE(grant_of(*state.find(JobId{1}))->mps);
  EXPECT_TRUE(can_checkpoint(state, *state.find(JobId{1}), 64 * kGiB));
}

// How the one job is moved for a more important one that wants `gib`; nullopt: it is not.
std::optional<Mechanism> moved_by(bool mps, bool restartable, std::uint64_t gib) {
  State state = with_mps(mps ? MpsUse::kAll : MpsUse::kOff);
  Ask low = ask().vram(16).share(80).priority(30);
  low.spec().restartable = restartable;
  low.submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  ask().vram(gib).share(80).priority(90).submit(state, at_second(600));
  for (const Decision& decision : decide(state, at_second(600)).decisions) {
    if (const auto* room = std::get_if<Preempt>(&decision)) return room->victims.at(0).mechanism;
  }
  return std::nullopt;
}

TEST(Mps, TheDriverIsNotAskedToMoveAJobUnderItNorIsItFrozenForOthers) {
  constexpr std::uint64_t kMemoryLacks = 16, kComputeLacks = 2;
  EXPECT_EQ(moved_by(false, false, kMemoryLacks), Mechanism::kCheckpoint);
  EXPECT_EQ(moved_by(false, false, kComputeLacks), Mechanism::kFreeze);
  EXPECT_EQ(moved_by(true, false, kMemoryLacks), std::nullopt);
  EXPECT_EQ(moved_by(true, false, kComputeLacks), std::nullopt);
  EXPECT_EQ(moved_by(true, true, kMemoryLacks), Mechanism::kRequeue);
}

}  // namespace
}  // namespace gpusched::testing
