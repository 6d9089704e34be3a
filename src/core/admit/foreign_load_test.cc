// Jobs beside foreign processes that compute.
#include <gtest/gtest.h>

#include "core/explain/explain.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;

SeenProcess busy_process(int pid, double load) {
  SeenProcess seen{.pid = pid};
  seen.vram_bytes = kGiB;
  seen.load_percent = load;
  seen.user = "lab";
  seen.command = "/usr/bin/python3 train.py --epochs 9";
  return seen;
}

void look(State& state, std::uint16_t card, std::int64_t second,
          std::vector<SeenProcess> processes) {
  CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
  view.processes = std::move(processes);
  apply(state, CardSeen{CardNumber{card}, view}, view.at);
}

TEST(ForeignLoad, WhereForeignProcessesKeepEveryCardBusyNothingStarts) {
  State state = machine(2, 24);
  look(state, 0, 0, {busy_process(4711, 100)});
  look(state, 1, 0, {busy_process(4712, 97)});
  ask().vram(2).share(10).submit(state, at_second(0));
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{});
  expect_reason(ReasonCode::kCards, reason_of(state, 1, at_second(0)));
  expect_reason(ReasonCode::kCards, reason_of(state, 2, at_second(0)));
}

TEST(ForeignLoad, AJobWithAShareNeedsLoadAndShareUnderTheCap) {
  State state = machine(1, 24);
  look(state, 0, 0, {busy_process(4711, 60)});
  ask().vram(2).share(31).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{}) << "60 + 31 > 90";
  ask().vram(2).share(30).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{2});
}

TEST(ForeignLoad, AWholeCardJobNeedsNoMoreThanWhatTheCapLeaves) {
  for (const int load : {10, 11}) {
    State state = machine(1, 24);
    look(state, 0, 0, {busy_process(4711, load)});
    ask().submit(state, at_second(0));
    EXPECT_EQ(start_what_fits(state, at_second(0)), load == 10 ? Jobs{1} : Jobs{}) << load;
  }
}

TEST(ForeignLoad, BelowThatLineItKeepsNobodyFromTheCardWhateverItsShare) {
  State state = machine(1, 24);
  look(state, 0, 0, {busy_process(4711, 9)});
  ask().vram(23).share(100).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{1}) << "alone cap and headroom do not apply";
}

TEST(ForeignLoad, BesideACompanyThatComputesTheHeadroomStays) {
  State state = machine(1, 24);
  look(state, 0, 0, {busy_process(4711, 50)});
  ask().vram(22).share(20).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{}) << "1 + 22 + 1.2 > 24";
  ask().vram(21).share(20).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{2});
}

TEST(ForeignLoad, ADropLetsTheJobStartAndItIsOverInThreeSeconds) {
  State state = machine(1, 24);
  look(state, 0, 0, {busy_process(4711, 95)});
  ask().vram(2).share(30).submit(state, at_second(0));
  for (int second = 1; second < 3; ++second) {
    look(state, 0, second, {busy_process(4711, 0)});
    EXPECT_EQ(start_what_fits(state, at_second(second)), Jobs{}) << "it may only pause";
  }
  look(state, 0, 3, {busy_process(4711, 0)});
  EXPECT_EQ(start_what_fits(state, at_second(3)), Jobs{1});
}

TEST(ForeignLoad, TheEndOfTheProcessLetsTheJobStartAtOnce) {
  State state = machine(1, 24);
  look(state, 0, 0, {busy_process(4711, 95)});
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{});
  look(state, 0, 1, {});
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{1});
}

TEST(ForeignLoad, CountsBesideJobsToo) {
  State state = machine(1, 24);
  ask().vram(2).share(30).submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{1});
  look(state, 0, 1, {busy_process(4711, 40)});
  ask().vram(2).share(30).submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{}) << "30 + 40 + 30 > 90";
  expect_reason(ReasonCode::kCards, reason_of(state, 2, at_second(1)));
}

TEST(ForeignLoad, CanBeIgnored) {
  Rules rules;
  rules.foreign_load = ForeignLoad::kIgnore;
  State state = machine(1, 24, 8, rules);
  look(state, 0, 0, {busy_process(4711, 100)});
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{1});
}

TEST(ForeignLoad, OfTheDesktopDoesNotCount) {
  State state = machine(1, 24);
  SeenProcess desktop = busy_process(4711, 60);
  desktop.ignored = true;
  look(state, 0, 0, {desktop});
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{1});
}

// As on Macs: the driver lists processes, but tells only how busy the whole card is.
TEST(ForeignLoad, WhereNobodyTellsWhoseItIsTheCardsFigureCounts) {
  State state = machine(1, 24);
  CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(0)};
  view.processes = {SeenProcess{.pid = 4711}};
  view.busy_percent = 97;
  apply(state, CardSeen{CardNumber{0}, view}, view.at);
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{});
  expect_reason(ReasonCode::kCards, reason_of(state, 1, at_second(0)));
  view.processes.push_back(SeenProcess{.pid = 4712});
  apply(state, CardSeen{CardNumber{0}, view}, view.at);
  expect_reason(ReasonCode::kCards, reason_of(state, 1, at_second(0)));
  view.processes.pop_back();
  view.busy_percent = 2;
  view.at = at_second(3);
  apply(state, CardSeen{CardNumber{0}, view}, view.at);
  EXPECT_EQ(start_what_fits(state, at_second(3)), Jobs{1});
  // What the job may take of the card is not laid at anybody else's door.
  view.processes[0].attempt = AttemptId{JobId{1}, 1};
  view.busy_percent = 100;
  view.at = at_second(4);
  apply(state, CardSeen{CardNumber{0}, view}, view.at);
  EXPECT_EQ(state.holds_on(0).ungranted.load_percent, 0);
}

TEST(ForeignLoad, CardsAreNotKeptFreeForAJobThatItKeepsWaiting) {
  State state = machine(2, 24);
  look(state, 0, 0, {});
  look(state, 1, 0, {busy_process(4711, 95)});
  ask().gpus(2).submit(state, at_second(0));
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{2});
}

}  // namespace
}  // namespace gpusched::testing
