#include "wire/snapshot.h"

#include <gtest/gtest.h>

#include "core/decide/decide.h"
#include "core/explain/excerpt.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

std::vector<std::pair<std::uint64_t, Grant>> starts_of(const State& state, Now now) {
  std::vector<std::pair<std::uint64_t, Grant>> starts;
  for (const Decision& decision : decide(state, now).decisions) {
    const Start& start = std::get<Start>(decision);
    starts.emplace_back(number_of(start.job), start.grant);
  }
  return starts;
}

// A state with a bit of everything that a decision reads.
State busy() {
  State state = machine(4, 24);
  std::vector<Card> cards = state.cards();
  cards[3].tags = {"small"};
  cards[3].vram_cap_bytes = 8 * kGiB;
  state.put(MoveRates{cards[3].uuid, {kGiB, Seconds{1}, 2}, {3 * kGiB, Seconds{0}, 1}});
  state.set_cards(std::move(cards));
  apply(state, GroupSetAsked{ourselves(), "night", 1}, at_second(0));
  apply(state, DrainAsked{ourselves(), {CardNumber{2}}, "fan"}, at_second(0));
  ask().time(1000).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  CardView seen{.condition = CardCondition::kOk, .reason = {}, .at = at_second(1)};
  seen.used_bytes = 3 * kGiB;
  seen.processes.push_back({.pid = 9, .vram_bytes = 2 * kGiB, .load_percent = 12.5});
  state.observe(CardNumber{1}, seen);
  ReserveAsked asked{.actor = ourselves(), .reservation = {}, .cards = {}};
  asked.cards.names = {"small"};
  asked.reservation.user = "user7";
  asked.reservation.from = at_second(500).wall;
  asked.reservation.until = at_second(900).wall;
  apply(state, asked, at_second(1));
  ask().gpus(2).submit(state, at_second(2));
  ask().group("night").vram(4).time(300).submit(state, at_second(3));
  ask().vram(20).time(400).array(3, 2).submit(state, at_second(4));
  ask().uid(7).vram(2).submit(state, at_second(5));
  return state;
}

TEST(Snapshot, ARereadOneDecidesTheSame) {
  const State state = busy();
  for (const int second : {10, 600, 1200}) {
    const Now now = at_second(second);
    const std::string text = snapshot_to_json(excerpt_of(state, 100, now));
    auto excerpt = snapshot_from_json(text);
    ASSERT_TRUE(excerpt) << excerpt.error().message;
    EXPECT_EQ(snapshot_to_json(*excerpt), text);
    const State again = state_of(std::move(*excerpt));
    again.check_invariants();
    EXPECT_EQ(starts_of(again, now), starts_of(state, now));
    const auto planned = decide(state, now).reserved;
    const auto replanned = decide(again, now).reserved;
    ASSERT_EQ(planned.has_value(), replanned.has_value());
    if (planned) {
      EXPECT_EQ(planned->start, replanned->start);
    }
  }
  EXPECT_FALSE(starts_of(state, at_second(10)).empty());
}

TEST(Snapshot, SaysWhatIsWrongWithAFile) {
  EXPECT_FALSE(snapshot_from_json("{}"));
  EXPECT_FALSE(snapshot_from_json("nothing"));
  const auto wrong = snapshot_from_json(
      R"({"schema":1,"snapshot":1,"wall_us":1,"boot_us":1,"jobs":[{"id":"x"}]})");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("jobs.id"), std::string::npos);
}

TEST(Snapshot, TellsNothingThatNoDecisionReads) {
  State state = machine(1, 24);
  Ask secret = ask();
  secret.spec().argv = {"train", "--token", "hidden"};
  secret.spec().working_directory = "/home/hidden";
  secret.submit(state, at_second(0));
  const std::string text = snapshot_to_json(excerpt_of(state, 10, at_second(1)));
  EXPECT_EQ(text.find("hidden"), std::string::npos);
}

}  // namespace
}  // namespace gpusched::testing
