// Down-sampling: what becomes of points on their way through the tiers.
#include "history/track.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "history/clock_watch.h"
#include "history/test_places.h"

namespace gpusched::history {
namespace {

using testing::at;

constexpr std::array kTrackMetrics = {Metric{"value", 0.001, true}};

// Blocks as bytes, as the database would have them.
class Tracks : public ::testing::Test {
 protected:
  Shelf shelf() {
    return {[this](std::size_t tier, Wall start) -> Result<Block> {
              Block block(start, kDefaultTiers[tier].width, 1);
              const auto found = rows.find({tier, start});
              if (found != rows.end()) {
                EXPECT_TRUE(unpack(found->second, kTrackMetrics, block));
              }
              return block;
            },
            [this](std::size_t tier, const Block& block) -> Result<void> {
              rows[{tier, block.start()}] = pack(block, kTrackMetrics);
              return {};
            }};
  }
  void add(Wall when, std::optional<double> value) {
    ASSERT_TRUE(track.add(when, {value}, shelf()));
  }
  void restart() {
    ASSERT_TRUE(track.save_all(shelf()));
    track = Track(kTrackMetrics, kDefaultTiers);
  }
  Cell cell(std::size_t tier, Wall when) {
    EXPECT_TRUE(track.save_all(shelf()));
    const Seconds width = kDefaultTiers[tier].width;
    const Wall start = block_start(when, width);
    const Result<Block> block = shelf().load(tier, start);
    return block->cell(0, static_cast<std::size_t>((when - start) / width));
  }

  std::map<std::pair<std::size_t, Wall>, std::string> rows;
  Track track{kTrackMetrics, kDefaultTiers};
};

TEST_F(Tracks, EveryTierHasTheMeanAndTheHighestOfItsPoints) {
  for (int i = 0; i < 3600; ++i) add(at(i), i % 10);
  for (const std::size_t tier : {1U, 2U, 3U}) {
    EXPECT_NEAR(*cell(tier, at(0)).mean(), 4.5, 0.001) << tier;
    EXPECT_NEAR(*cell(tier, at(0)).max(), 9, 0.001) << tier;
  }
  EXPECT_EQ(cell(3, at(0)).count, 3600U);
  EXPECT_NEAR(*cell(0, at(7)).mean(), 7, 0.001);
}

TEST_F(Tracks, APointOnTheBorderBelongsToWhatBegins) {
  add(at(3599.999999), 1);
  add(at(3600), 5);
  for (std::size_t tier = 0; tier < kTiers; ++tier) {
    EXPECT_NEAR(*cell(tier, at(3599)).mean(), 1, 0.001) << tier;
    EXPECT_NEAR(*cell(tier, at(3600)).mean(), 5, 0.001) << tier;
  }
}

TEST_F(Tracks, AGapStaysAGap) {
  add(at(0), 1);
  add(at(7200), 2);
  EXPECT_EQ(cell(0, at(1)).count, 0U);
  EXPECT_EQ(cell(2, at(3600)).count, 0U);
  EXPECT_EQ(cell(3, at(3600)).count, 0U);
  EXPECT_EQ(cell(3, at(7200)).count, 1U);
}

TEST_F(Tracks, AnAbsentValueDoesNotCount) {
  add(at(0), 4);
  add(at(1), std::nullopt);
  add(at(2), 8);
  EXPECT_NEAR(*cell(1, at(0)).mean(), 6, 0.001);
  EXPECT_EQ(cell(0, at(1)).count, 0U);
}

TEST_F(Tracks, AClockThatJumpsBackAddsToWhatIsThere) {
  for (int i = 0; i < 7200; ++i) add(at(i), 2);
  for (int i = 0; i < 3600; ++i) add(at(i), 4);
  EXPECT_NEAR(*cell(3, at(0)).mean(), 3, 0.001);
  EXPECT_EQ(cell(3, at(0)).count, 7200U);
  EXPECT_NEAR(*cell(3, at(3600)).mean(), 2, 0.001);
  EXPECT_EQ(cell(3, at(3600)).count, 3600U);
}

TEST_F(Tracks, AClockThatJumpsAheadAndComesBackLosesNothing) {
  add(at(0), 1);
  add(at(400.0 * 86400), 9);
  add(at(1), 3);
  EXPECT_NEAR(*cell(3, at(0)).mean(), 2, 0.001);
  EXPECT_NEAR(*cell(3, at(400.0 * 86400)).mean(), 9, 0.001);
}

TEST_F(Tracks, ARestartInTheMiddleOfABucketChangesNoMean) {
  for (int i = 0; i < 3600; ++i) {
    add(at(i), i);
    if (i % 97 == 0) restart();
  }
  EXPECT_EQ(cell(3, at(0)).count, 3600U);
  EXPECT_NEAR(*cell(3, at(0)).mean(), 1799.5, 0.1);
  EXPECT_NEAR(*cell(3, at(0)).max(), 3599, 0.01);
}

TEST_F(Tracks, ATierThatIsNotKeptIsNotWritten) {
  Tiers tiers = kDefaultTiers;
  tiers[0].keep = Seconds{0};
  track = Track(kTrackMetrics, tiers);
  add(at(0), 1);
  ASSERT_TRUE(track.save_all(shelf()));
  EXPECT_EQ(rows.size(), 3U);
}

// The property that makes a zoom honest, for any points in any order.
TEST_F(Tracks, TheMeanOfATierIsTheMeanOfThePointsBeneath) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    rows.clear();
    track = Track(kTrackMetrics, kDefaultTiers);
    std::mt19937 random(seed);
    std::map<std::pair<std::size_t, Wall>, Cell> expected;
    double second = 0;
    for (int i = 0; i < 1500; ++i) {
      const auto dice = static_cast<unsigned>(random() % 100);
      second += dice == 0 ? -2000.0 : dice == 1 ? 5000.0 : dice % 3;
      const Wall when = at(second + static_cast<double>(random() % 1000) / 1000);
      const bool known = random() % 10 != 0;
      const double value = static_cast<double>(random() % 100'000) / 1000;
      add(when, known ? std::optional(value) : std::nullopt);
      if (dice == 2) restart();
      for (std::size_t tier = 0; known && tier < kTiers; ++tier) {
        const Microseconds width = kDefaultTiers[tier].width;
        expected[{tier, Wall{when.time_since_epoch() / width * width}}].add(value);
      }
    }
    for (const auto& [key, cell_expected] : expected) {
      const Cell found = cell(key.first, key.second);
      ASSERT_EQ(found.count, cell_expected.count) << "seed " << seed << " tier " << key.first;
      // Each restart rounds by half a unit at most.
      EXPECT_NEAR(*found.mean(), *cell_expected.mean(), 0.02);
      EXPECT_NEAR(*found.max(), *cell_expected.max(), 0.002);
    }
  }
}

TEST(ClockWatch, BelievesAClockThatGoesOnForAWhile) {
  ClockWatch clock;
  for (int i = 0; i < 600; ++i) clock.note(at(i));
  EXPECT_FALSE(clock.steady());
  clock.note(at(600));
  EXPECT_TRUE(clock.steady());
}

TEST(ClockWatch, DoesNotBelieveAJump) {
  for (const double jump : {-3600.0, 3600.0, 1e9}) {
    ClockWatch clock;
    for (int i = 0; i <= 600; ++i) clock.note(at(i));
    clock.note(at(600 + jump));
    EXPECT_FALSE(clock.steady());
    EXPECT_EQ(clock.newest(), at(600 + jump));
  }
}

}  // namespace
}  // namespace gpusched::history
