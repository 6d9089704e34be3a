// Whom the core wants to know more of, and what it makes of the looks at their threads.
#include "core/preempt/holder_watch.h"

#include <gtest/gtest.h>

#include "tests/support/room_builders.h"

namespace gpusched::testing {
namespace {

using Ids = std::vector<JobId>;

// Job 1 on the only card, of a machine where idle holders leave after ten seconds.
class HolderWatched : public ::testing::Test {
 protected:
  HolderWatched() : state_(moving_machine(1, 24, rules())) {
    ask().vram(10).submit(state_, at_second(0));
    starts_and_runs(state_, 1, 0);
  }
  static Rules rules() {
    Rules rules;
    rules.room.idle_after = Seconds{10};
    return rules;
  }
  AttemptId attempt() { return state_.find(JobId{1})->current_attempt(); }
  void see(std::int64_t second, std::optional<double> load) {
    CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
    SeenProcess seen{.pid = 7, .vram_bytes = 10 * kGiB, .load_percent = load};
    seen.attempt = attempt();
    view.processes = {seen};
    apply(state_, CardSeen{CardNumber{0}, view}, view.at);
  }
  // One thread, which ticks, or hangs in a call to the card.
  static HolderLook threads(std::int64_t second, bool hangs) {
    ThreadLook one{.id = 7, .turns = hangs ? 1000 : static_cast<std::uint64_t>(second)};
    one.wait = hangs ? ThreadWait::kFutex : ThreadWait::kOther;
    one.address = hangs ? 0x9000 : 0;
    return {at_second(second).boot, {one}};
  }
  std::optional<Event> look(std::int64_t second, bool hangs) {
    if (watch_.whom(state_) != Ids{JobId{1}}) return std::nullopt;
    return watch_.take(state_, JobId{1}, threads(second, hangs));
  }
  // It does nothing until it leaves for job 2.
  void leave() {
    std::int64_t second = 100;
    for (; second < 160; ++second) {
      see(second, 0.0);
      EXPECT_FALSE(look(second, false));
    }
    ask().vram(20).priority(30).submit(state_, at_second(second));
    ASSERT_EQ(who<MoveAside>(take_turn(state_, second)), JobNumbers{1});
    EXPECT_TRUE(watch_.whom(state_).empty()) << "on its way";
    has_moved(state_, 1, 10, second);
  }

  State state_;
  HolderWatch watch_;
};

TEST_F(HolderWatched, OneThatWorksIsNotLookedAt) {
  see(100, 50.0);
  EXPECT_FALSE(HolderWatch::is_needed(state_));
  see(101, std::nullopt);
  EXPECT_FALSE(HolderWatch::is_needed(state_)) << "nobody can say";
  see(102, 0.0);
  EXPECT_TRUE(HolderWatch::is_needed(state_));
  EXPECT_EQ(watch_.whom(state_), Ids{JobId{1}});
}

TEST_F(HolderWatched, OneThatIsAsideAndWantsItsCardIsNamedOnce) {
  leave();
  for (int second = 161; second < 170; ++second) EXPECT_FALSE(look(second, false)) << second;
  int told = 0;
  for (int second = 170; second < 180; ++second) {
    const auto event = look(second, true);
    if (!event) continue;
    ++told;
    EXPECT_EQ(std::get<HolderActive>(*event).attempt, attempt());
  }
  EXPECT_EQ(told, 1);
}

TEST_F(HolderWatched, OneThatCannotBeSeenSaysNothing) {
  leave();
  ASSERT_EQ(watch_.whom(state_), Ids{JobId{1}});
  EXPECT_FALSE(watch_.take(state_, JobId{1}, std::nullopt)) << "its shim tells how it ended";
}

}  // namespace
}  // namespace gpusched::testing
