#include "replay/colocation.h"

#include <gtest/gtest.h>

#include "replay/simulate.h"

namespace gpusched::replay {
namespace {

Simulated on_one_card(const std::string& trace, std::optional<int> percent) {
  SimulateAsked asked;
  asked.machine = *describe_machine("1x80G", "64", "512G");
  asked.colocation = percent;
  auto result = simulate(asked, {.trace = trace, .restart_costs = {}, .nodes = {}});
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  return std::get<Simulated>(std::move(*result));
}

TEST(Colocation, OffUnlessAskedFor) {
  const std::string two = "submit_s,duration_s,vram,share\n0,100,10G,40\n0,100,10G,40\n";
  EXPECT_EQ(on_one_card(two, std::nullopt).outcome.jobs[1].end, Seconds{100});
  EXPECT_EQ(on_one_card(two, 0).outcome.jobs[1].end, Seconds{100});
}

TEST(Colocation, EachFurtherJobCostsItsPartWhileItIsThere) {
  // Together at 1/1.25 of full speed: 50 s of work of the first take 62.5 s; then the second has
  // 50 s of its own left and is alone.
  const Simulated done =
      on_one_card("submit_s,duration_s,vram,share\n0,50,10G,40\n0,100,10G,40\n", 25);
  EXPECT_EQ(done.outcome.jobs[0].end, Microseconds{62'500'000});
  EXPECT_EQ(done.outcome.jobs[1].end, Microseconds{112'500'000});
}

TEST(Colocation, LoadsBeyondTheCardSlowDownInProportion) {
  Colocation cards(2, 0);
  EXPECT_TRUE(cards.join(0, {0}, 80).empty());
  EXPECT_EQ(cards.pace_on({0}), kFullPace);
  EXPECT_EQ(cards.join(1, {0, 1}, 80), std::vector<std::size_t>{0});
  EXPECT_EQ(cards.pace_on({0}), kFullPace * 100 / 160);
  EXPECT_EQ(cards.pace_on({1}), kFullPace);
  EXPECT_EQ(cards.pace_on({0, 1}), kFullPace * 100 / 160);  // A gang waits for its slowest card.
  EXPECT_EQ(cards.leave(0, {0}), std::vector<std::size_t>{1});
  EXPECT_EQ(cards.pace_on({0, 1}), kFullPace);
}

TEST(Colocation, AJobThatIsSlowedDownMayMeetItsTimeLimit) {
  const Simulated done = on_one_card(
      "submit_s,duration_s,vram,share,time_limit_s\n0,100,10G,40,110\n0,100,10G,40,300\n", 50);
  EXPECT_TRUE(done.outcome.jobs[0].cut);
  EXPECT_EQ(done.outcome.jobs[0].end, Seconds{110});
  EXPECT_FALSE(done.outcome.jobs[1].cut);
}

TEST(Colocation, TimeAndWorkAreEachOthersInverse) {
  for (const Pace pace : {Pace{1}, Pace{333'333}, Pace{800'000}, kFullPace}) {
    for (const std::int64_t us : {0, 1, 999'999, 1'000'001, 123'456'789}) {
      const Microseconds work{us};
      EXPECT_GE(work_in(time_for(work, pace), pace), work);
      if (us == 0) continue;
      EXPECT_LT(work_in(time_for(work, pace) - Microseconds{1}, pace), work);
    }
  }
}

}  // namespace
}  // namespace gpusched::replay
