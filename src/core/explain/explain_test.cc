#include "core/explain/explain.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/share/order.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

std::string why(const State& state, std::uint64_t job, Now now) {
  const auto reasons = why_waiting(state, *state.find(JobId{job}), now);
  return reasons.empty() ? "" : describe(reasons.front());
}

TEST(Explain, NamesWhatHoldsTheCards) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().submit(state, at_second(1));
  ask().vram(8).submit(state, at_second(1));
  EXPECT_EQ(why(state, 2, at_second(2)),
            "needs 1 card free, 0 available; job 1 holds the cards it could use");
  EXPECT_EQ(why(state, 3, at_second(2)),
            "needs 1 card with 8.0 GiB free, 0 available; job 1 holds the cards it could use");
  EXPECT_EQ(why(state, 1, at_second(2)), "");
}

TEST(Explain, SaysWhatItWaitsForAndUntilWhen) {
  State state = machine(1, 24, 1);
  ask().gpus(0).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().after(1).submit(state, at_second(0));
  ask().begin(at_second(60).wall).submit(state, at_second(0));
  ask().gpus(0).submit(state, at_second(0));
  ask().hold().submit(state, at_second(0));
  EXPECT_EQ(why(state, 2, at_second(1)), "waits for job 1");
  EXPECT_EQ(why(state, 3, at_second(1)), "may not begin yet");
  EXPECT_EQ(why(state, 4, at_second(1)), "needs 1 CPU, 0 free; job 1 has 1");
  EXPECT_EQ(why(state, 5, at_second(1)), "held on request");
}

std::string help(const State& state, std::uint64_t job, Now now) {
  return what_would_help(why_waiting(state, *state.find(JobId{job}), now).front());
}

State one_card(const Card& rules, Rules general = {}) {
  State state = machine(1, 24, 8, general);
  std::vector<Card> cards = state.cards();
  cards[0].jobs_most = rules.jobs_most;
  cards[0].sharing = rules.sharing;
  state.set_cards(std::move(cards));
  return state;
}

TEST(Explain, NamesTheComputeWhereThatIsMissingAndAShareWithWhichItStarts) {
  State state = machine(1, 24);
  ask().vram(2).share(70).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().vram(2).share(40).submit(state, at_second(1));
  EXPECT_EQ(why(state, 2, at_second(1)),
            "needs 1 card with 40 % of the compute free, 0 available; card 0 has 20 % of its "
            "compute left; job 1 holds the cards it could use");
  EXPECT_EQ(help(state, 2, at_second(1)), "with --share 20 it starts now");
  apply(state, SetAsked{ourselves(), {JobId{2}}, patch_with(&Needs::share_percent, 20)},
        at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(2)), std::vector<std::uint64_t>{2});
}

TEST(Explain, NamesTheLimitOfJobsOnACard) {
  Card rules;
  rules.jobs_most = 1;
  State state = one_card(rules);
  ask().vram(2).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().vram(2).submit(state, at_second(1));
  EXPECT_EQ(why(state, 2, at_second(1)),
            "needs 1 card that may take one more job, 0 available; card 0 has its limit of 1 job; "
            "job 1 holds the cards it could use");
  EXPECT_EQ(help(state, 2, at_second(1)), "") << "no smaller wish helps";
}

TEST(Explain, SaysThatACardIsNotShared) {
  Card rules;
  rules.sharing = false;
  State state = one_card(rules);
  ask().vram(2).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().vram(2).submit(state, at_second(1));
  EXPECT_EQ(why(state, 2, at_second(1)),
            "needs 1 card without jobs, 0 available; card 0 is not shared; job 1 holds the cards "
            "it could use");
  EXPECT_EQ(help(state, 2, at_second(1)), "");
}

TEST(Explain, NamesWhatEachCardLacksWhereTheyDiffer) {
  State state = machine(2, 24);
  ask().vram(20).share(10).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  Ask second = ask().vram(2).share(80);
  second.spec().needs.cards = CardFilter{.only = {{CardNumber{1}}, {}}};
  second.submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().vram(8).share(30).submit(state, at_second(1));
  EXPECT_EQ(why(state, 3, at_second(1)),
            "needs 1 card with 8.0 GiB and 30 % of the compute free, 0 available; card 0 has 2.8 "
            "GiB left; card 1 has 10 % of its compute left; jobs 1, 2 hold the cards it could "
            "use");
  EXPECT_EQ(help(state, 3, at_second(1)),
            "ask for --vram 2G instead of 8G and it starts now; with --share 10 it starts now");
}

TEST(Explain, NamesWhoHasTheCpusAndTheRamMostFirst) {
  State state = machine(1, 24, 8);
  ask().gpus(0).cpus(2).submit(state, at_second(0));
  Ask large = ask().gpus(0).cpus(5);
  large.spec().needs.ram_bytes = 60 * kGiB;
  large.submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  Ask third = ask().gpus(0).cpus(4);
  third.spec().needs.ram_bytes = 8 * kGiB;
  third.submit(state, at_second(1));
  const auto reasons = why_waiting(state, *state.find(JobId{3}), at_second(2));
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(describe(reasons[0]), "needs 4 CPUs, 1 free; job 2 has 5, job 1 has 2");
  EXPECT_EQ(describe(reasons[1]), "needs 8.0 GiB of host RAM, 4.0 GiB free; job 2 has 60.0 GiB");
  EXPECT_EQ(reasons[0].jobs, (std::vector<JobId>{JobId{1}, JobId{2}}));
}

std::string no_room(const State& state, std::uint64_t job, Now now) {
  return why_no_room(why_waiting(state, *state.find(JobId{job}), now).front());
}

// One card, and a job of normal priority on it for long enough to be moved.
State with_a_holder(const std::function<void(Ask&)>& change = {}, bool moves = true) {
  State state = machine(1, 24);
  std::vector<Card> cards = state.cards();
  cards[0].moves = moves;
  state.set_cards(std::move(cards));
  Ask holder = ask().vram(20).time(100'000);
  if (change) change(holder);
  holder.submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  return state;
}

TEST(Explain, SaysWhyNobodyIsMovedAside) {
  const Now later = at_second(5000);
  const auto urgent = [&](State state, int priority = 90) {
    ask().vram(20).priority(priority).submit(state, later);
    return no_room(state, 2, later);
  };
  EXPECT_EQ(urgent(with_a_holder(), 50), "job 1 is as important as it is");
  EXPECT_EQ(urgent(with_a_holder({}, false)), "job 1 is on a card whose driver cannot move jobs");
  EXPECT_EQ(urgent(with_a_holder([](Ask& one) { one.spec().preempt = PreemptPolicy::kNever; })),
            "job 1 asked not to be moved (--preempt never)");
  EXPECT_EQ(
      urgent(with_a_holder([](Ask& one) { one.spec().preempt = PreemptPolicy::kCooperative; })),
      "job 1 cannot save itself, and others are not asked to go");
  EXPECT_EQ(urgent(with_a_holder([](Ask& one) { one.spec().needs.ram_bytes = 60 * kGiB; })),
            "job 1 has more VRAM than there is host RAM to take it");
}

TEST(Explain, AdviceForTheHostIsTriedToo) {
  State state = machine(1, 24, 8);
  Ask first = ask().vram(2).cpus(6);
  first.spec().needs.ram_bytes = 60 * kGiB;
  first.submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().vram(2).cpus(4).submit(state, at_second(1));
  EXPECT_EQ(help(state, 2, at_second(1)), "with --cpus 2 it starts now");
  Ask more = ask().vram(2);
  more.spec().needs.ram_bytes = 8 * kGiB;
  more.submit(state, at_second(1));
  EXPECT_EQ(help(state, 3, at_second(1)), "with --mem 4G it starts now");
  Ask both = ask().vram(2).cpus(4);
  both.spec().needs.ram_bytes = 8 * kGiB;
  both.submit(state, at_second(1));
  EXPECT_EQ(help(state, 4, at_second(1)), "") << "neither would do alone";
}

TEST(Explain, OtherCardsAreAdvisedWhereItWouldStartOnThem) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  Ask second = ask();
  second.spec().needs.cards = CardFilter{.only = {{CardNumber{0}}, {}}};
  second.submit(state, at_second(1));
  EXPECT_EQ(help(state, 2, at_second(1)), "without --gpu, --not-gpu and --gpu-type it starts now");
}

TEST(Explain, AHigherLimitOfAGroupIsAdvisedOnlyWhereItIsAllThatIsMissing) {
  State state = machine(1, 24);
  apply(state, GroupSetAsked{ourselves(), "g", 1}, at_second(0));
  ask().group("g").vram(2).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().group("g").vram(2).submit(state, at_second(1));
  EXPECT_EQ(help(state, 2, at_second(1)), "a higher limit: gpusched group set");
  ask().group("g").submit(state, at_second(1));
  EXPECT_EQ(why(state, 3, at_second(1)), "group 'g' runs its limit of 1 job");
  EXPECT_EQ(help(state, 3, at_second(1)), "") << "it wants the card to itself, too";
}

TEST(Explain, AJobThatFitsIsNext) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  EXPECT_EQ(why(state, 1, at_second(0)), "starts next");
}

TEST(Explain, SaysSoWhenTheCardsItNeedsAreNotThereNow) {
  State state = machine(2, 24);
  ask().gpus(2).submit(state, at_second(0));
  std::vector<Card> cards = state.cards();
  cards[0].usable = false;
  state.set_cards(cards);
  EXPECT_EQ(why(state, 1, at_second(0)),
            "needs 2 usable cards of the kind it asks for, 1 there now: card 0 is not known yet");
}

TEST(Explain, JobsOfOneShapeShareTheirAnswer) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().array(100).submit(state, at_second(1));
  WaitingReasons reasons(state, at_second(2));
  EXPECT_EQ(&reasons.of(*state.find(JobId{2})), &reasons.of(*state.find(JobId{90})));
}

TEST(Order, APositionCountsFromOneAndStopsAtItsBound) {
  State state = machine(0, 0, 0);
  State with_cards = machine(1, 24);
  ask().array(50).submit(with_cards, at_second(0));
  EXPECT_EQ(position_of(with_cards, JobId{1}, 10, at_second(0)), 1u);
  EXPECT_EQ(position_of(with_cards, JobId{10}, 10, at_second(0)), 10u);
  EXPECT_EQ(position_of(with_cards, JobId{11}, 10, at_second(0)), std::nullopt);
  EXPECT_EQ(position_of(state, JobId{1}, 10, at_second(0)), std::nullopt);
}

}  // namespace
}  // namespace gpusched::testing
