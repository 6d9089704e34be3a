#include "core/explain/explain.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/share/order.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"
#include "tests/support/room_builders.h"

namespace gpusched::testing {
namespace {

TEST(Explain, NamesWhatHoldsTheCards) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().submit(state, at_second(1));
  ask().vram(8).submit(state, at_second(1));
  expect_reason(ReasonCode::kCards, reason_of(state, 2, at_second(2)));
  expect_reason(ReasonCode::kCards, reason_of(state, 3, at_second(2)));
  EXPECT_TRUE(why_waiting(state, *state.find(JobId{1}), at_second(2)).empty());
}

TEST(Explain, SaysWhatItWaitsForAndUntilWhen) {
  State state = machine(1, 24, 1);
  ask().gpus(0).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().after(1).submit(state, at_second(0));
  ask().begin(at_second(60).wall).submit(state, at_second(0));
  ask().gpus(0).submit(state, at_second(0));
  ask().hold().submit(state, at_second(0));
  expect_reason(ReasonCode::kDependency, reason_of(state, 2, at_second(1)));
  expect_reason(ReasonCode::kBegin, reason_of(state, 3, at_second(1)));
  expect_reason(ReasonCode::kCpus, reason_of(state, 4, at_second(1)));
  expect_reason(ReasonCode::kHeld, reason_of(state, 5, at_second(1)));
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
  expect_reason(ReasonCode::kCards, reason_of(state, 2, at_second(1)));
  expect_helps({{Help::Kind::kLessShare, 20, 40}}, reason_of(state, 2, at_second(1)));
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
  expect_reason(ReasonCode::kCards, reason_of(state, 2, at_second(1)));
  EXPECT_EQ(what_would_help(reason_of(state, 2, at_second(1))), "") << "no smaller wish helps";
}

TEST(Explain, SaysThatACardIsNotShared) {
  Card rules;
  rules.sharing = false;
  State state = one_card(rules);
  ask().vram(2).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().vram(2).submit(state, at_second(1));
  expect_reason(ReasonCode::kCards, reason_of(state, 2, at_second(1)));
  EXPECT_EQ(what_would_help(reason_of(state, 2, at_second(1))), "");
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
  expect_reason(ReasonCode::kCards, reason_of(state, 3, at_second(1)));
  expect_helps({{Help::Kind::kLessVram, 2 * kGiB, 8 * kGiB}, {Help::Kind::kLessShare, 10, 30}},
               reason_of(state, 3, at_second(1)));
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
  expect_reason(ReasonCode::kCpus, reasons[0]);
  expect_reason(ReasonCode::kRam, reasons[1]);
  EXPECT_EQ(reasons[0].jobs, (std::vector<JobId>{JobId{1}, JobId{2}}));
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
    const Reason reason = reason_of(state, 2, later);
    expect_words(why_no_room(reason));
    return reason.staying.size() == 1 ? reason.staying.front().why : Stays::kNothing;
  };
  EXPECT_EQ(urgent(with_a_holder(), 50), Stays::kAsImportant);
  EXPECT_EQ(urgent(with_a_holder({}, false)), Stays::kCardsDoNotMove);
  EXPECT_EQ(urgent(with_a_holder([](Ask& one) { one.spec().preempt = PreemptPolicy::kNever; })),
            Stays::kNever);
  EXPECT_EQ(
      urgent(with_a_holder([](Ask& one) { one.spec().preempt = PreemptPolicy::kCooperative; })),
      Stays::kSavesOnly);
  EXPECT_EQ(urgent(with_a_holder([](Ask& one) { one.spec().needs.ram_bytes = 60 * kGiB; })),
            Stays::kHostRam);
}

TEST(Explain, SaysThatAJobWhichIsLeavingReturnsFirst) {
  State state = moving_machine(2, 24);
  ask().vram(15).share(43).priority(40).submit(state, at_second(0));
  ask().vram(1).share(20).priority(0).submit(state, at_second(0));
  take_turn(state, 0);
  for (std::uint64_t job : {1, 2}) run(state, job, at_second(0));
  ask().gpus(2).vram(1).share(48).priority(20).submit(state, at_second(60));
  ask().gpus(2).vram(8).share(23).priority(70).submit(state, at_second(60));
  ASSERT_EQ(who<MoveAside>(take_turn(state, 60)), JobNumbers{1});
  const Reason reason = reason_of(state, 3, at_second(61));
  expect_words(why_no_room(reason));
  ASSERT_EQ(reason.staying.size(), 2u);
  EXPECT_EQ(reason.staying[0].why, Stays::kAsImportant);
  EXPECT_EQ(reason.staying[1].why, Stays::kOthersReturn);
}

TEST(Explain, SaysThatSomebodyEndsTooSoonToBeMoved) {
  State state = with_a_holder([](Ask& one) { one.time(5010).vram(20); });
  ask().vram(20).priority(90).submit(state, at_second(5000));
  const Reason reason = reason_of(state, 2, at_second(5000));
  expect_words(why_no_room(reason));
  ASSERT_EQ(reason.staying.size(), 1u);
  EXPECT_EQ(reason.staying[0].why, Stays::kEndsSoon);
}

TEST(Explain, AdviceForTheHostIsTriedToo) {
  State state = machine(1, 24, 8);
  Ask first = ask().vram(2).cpus(6);
  first.spec().needs.ram_bytes = 60 * kGiB;
  first.submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().vram(2).cpus(4).submit(state, at_second(1));
  expect_helps({{Help::Kind::kFewerCpus, 2, 4}}, reason_of(state, 2, at_second(1)));
  Ask more = ask().vram(2);
  more.spec().needs.ram_bytes = 8 * kGiB;
  more.submit(state, at_second(1));
  expect_helps({{Help::Kind::kLessRam, 4 * kGiB, 8 * kGiB}}, reason_of(state, 3, at_second(1)));
  Ask both = ask().vram(2).cpus(4);
  both.spec().needs.ram_bytes = 8 * kGiB;
  both.submit(state, at_second(1));
  EXPECT_EQ(what_would_help(reason_of(state, 4, at_second(1))), "") << "neither would do alone";
}

TEST(Explain, OtherCardsAreAdvisedWhereItWouldStartOnThem) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  Ask second = ask();
  second.spec().needs.cards = CardFilter{.only = {{CardNumber{0}}, {}}};
  second.submit(state, at_second(1));
  expect_helps({{Help::Kind::kAnyCards, 0, 0}}, reason_of(state, 2, at_second(1)));
}

TEST(Explain, AHigherLimitOfAGroupIsAdvisedOnlyWhereItIsAllThatIsMissing) {
  State state = machine(1, 24);
  apply(state, GroupSetAsked{ourselves(), "g", 1}, at_second(0));
  ask().group("g").vram(2).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  ask().group("g").vram(2).submit(state, at_second(1));
  const Reason limit = reason_of(state, 2, at_second(1));
  EXPECT_TRUE(limit.starts_when_lifted);
  expect_helps({}, limit);
  ask().group("g").submit(state, at_second(1));
  expect_reason(ReasonCode::kGroupLimit, reason_of(state, 3, at_second(1)));
  EXPECT_EQ(what_would_help(reason_of(state, 3, at_second(1))), "")
      << "it wants the card to itself, too";
}

TEST(Explain, AJobThatFitsIsNext) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  expect_reason(ReasonCode::kNext, reason_of(state, 1, at_second(0)));
}

TEST(Explain, SaysSoWhenTheCardsItNeedsAreNotThereNow) {
  State state = machine(2, 24);
  ask().gpus(2).submit(state, at_second(0));
  std::vector<Card> cards = state.cards();
  cards[0].usable = false;
  state.set_cards(cards);
  expect_reason(ReasonCode::kNoSuchCard, reason_of(state, 1, at_second(0)));
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
