#include "history/recorder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "history/history_place.h"
#include "history/test_places.h"

namespace gpusched::history {
namespace {

using testing::at;
using testing::card_point;
using testing::points_of;
using testing::series_named;
using testing::TempDirectory;

constexpr double kDay = 86400;

class Records : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(prepare_file(directory.path()));
    open();
  }
  void open(RecorderOptions options = {}) {
    bool damaged = false;
    recorder.reset();
    auto opened = Recorder::open(directory.file(), options, damaged);
    ASSERT_TRUE(opened) << opened.error().message;
    recorder = std::move(*opened);
  }
  void add(int number, double second, std::optional<double> busy) {
    const auto added = recorder->add(points_of(card_point(number, at(second), busy)));
    ASSERT_TRUE(added) << added.error().message;
  }
  void add_job(AttemptId attempt, double second, std::uint64_t vram_bytes) {
    Points points;
    points.jobs.push_back({attempt, at(second), vram_bytes, 50.0});
    ASSERT_TRUE(recorder->add(points));
  }
  Answer ask(double from, double to, std::size_t points, std::optional<JobId> job = {}) {
    auto answer = recorder->answer({.from = at(from), .to = at(to), .points = points, .job = job});
    EXPECT_TRUE(answer);
    return *answer;
  }
  std::size_t known_values(const Answer& answer) {
    std::size_t known = 0;
    for (const Line& line : answer.lines) {
      for (const auto& value : line.series.front().values) known += value.has_value() ? 1U : 0U;
    }
    return known;
  }

  TempDirectory directory;
  std::unique_ptr<Recorder> recorder;
};

TEST_F(Records, AnswersFromTheOpenBucketToo) {
  add(0, 0, 40);
  add(0, 5, 60);
  const Answer answer = ask(0, 10, 1);
  ASSERT_EQ(answer.lines.size(), 1U);
  EXPECT_EQ(answer.lines[0].number, CardNumber{0});
  EXPECT_EQ(answer.lines[0].uuid, "GPU-0");
  EXPECT_EQ(answer.step, Seconds{10});
  EXPECT_EQ(series_named(answer.lines[0], "busy_percent").values,
            (std::vector<std::optional<double>>{50.0}));
  EXPECT_EQ(series_named(answer.lines[0], "used_bytes").values,
            (std::vector<std::optional<double>>{std::nullopt}));
}

TEST_F(Records, AnswersTheSameAfterARestart) {
  for (int i = 0; i < 200; ++i) add(i % 2, i, i % 7);
  const Answer before = ask(0, 200, 20);
  ASSERT_TRUE(recorder->save_all());
  open();
  const Answer after = ask(0, 200, 20);
  ASSERT_EQ(after.lines.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& was = series_named(before.lines[i], "busy_percent").values;
    const auto& is = series_named(after.lines[i], "busy_percent").values;
    ASSERT_EQ(was.size(), is.size());
    for (std::size_t p = 0; p < was.size(); ++p) EXPECT_NEAR(*was[p], *is[p], 0.06);
  }
}

TEST_F(Records, LosesAtMostHalfAMinuteWithoutAProperEnd) {
  for (int i = 0; i <= 95; ++i) add(0, i, 50);
  open();  // As after a crash: nothing was saved at the end.
  EXPECT_GE(known_values(ask(0, 96, 96)), 66U);
}

TEST_F(Records, GoesOnInABucketThatWasOpenAtTheEnd) {
  add(0, 0, 20);
  ASSERT_TRUE(recorder->save_all());
  open();
  add(0, 1, 40);
  EXPECT_EQ(series_named(ask(0, 10, 1).lines[0], "busy_percent").values[0], 30.0);
}

TEST_F(Records, SelectsOneCard) {
  for (int card = 0; card < 3; ++card) add(card, 0, card);
  const auto answer =
      recorder->answer({.from = at(0), .to = at(10), .points = 1, .card = CardNumber{2}});
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->lines.size(), 1U);
  EXPECT_EQ(answer->lines[0].uuid, "GPU-2");
}

TEST_F(Records, ACardThatWasReplacedIsShownWhileItHasSomethingToShow) {
  add(0, 0, 10);
  CardPoint other = card_point(0, at(100), 90);
  other.uuid = "GPU-new";
  ASSERT_TRUE(recorder->add(points_of(other)));
  const Answer both = ask(0, 200, 2);
  ASSERT_EQ(both.lines.size(), 2U);
  EXPECT_EQ(both.lines[0].uuid, "GPU-new");
  EXPECT_EQ(both.lines[1].number, std::nullopt);
  EXPECT_EQ(ask(100, 200, 2).lines.size(), 1U);
}

TEST_F(Records, ForgetsWhatIsTooOldTierByTier) {
  for (double second = 0; second < 2 * kDay; second += 10) add(0, second, 50);
  const double now = 2 * kDay;
  // The tier of seconds reaches back an hour, and the block that hangs over its edge.
  EXPECT_EQ(known_values(ask(now - 7200, now - 3700, 120)), 117U);
  const auto fine =
      recorder->answer({.from = at(now - 3000), .to = at(now), .points = 4000, .step = Seconds{1}});
  EXPECT_EQ(fine->step, Seconds{1});
  EXPECT_EQ(known_values(*fine), 300U);
  EXPECT_EQ(known_values(ask(0, now, 48)), 48U);
}

TEST_F(Records, AClockThatIsWrongForAWhileDoesNotCostTheHistory) {
  for (int i = 0; i < 700; ++i) add(0, i, 50);
  // Ten years ahead, for five minutes.
  for (int i = 0; i < 300; ++i) add(0, 3650 * kDay + i, 50);
  for (int i = 700; i < 1500; ++i) add(0, i, 50);
  EXPECT_EQ(known_values(ask(0, 1500, 150)), 150U);
  // And what it left in the future is gone.
  EXPECT_EQ(known_values(ask(3650 * kDay, 3650 * kDay + 300, 30)), 0U);
}

TEST_F(Records, PointsWithoutABelievableTimeAreLeftOut) {
  ASSERT_TRUE(recorder->add(points_of(card_point(0, Wall{Seconds{-5}}, 1))));
  ASSERT_TRUE(recorder->add(points_of(card_point(0, Wall::max(), 1))));
  CardPoint nameless = card_point(0, at(0), 1);
  nameless.uuid.clear();
  ASSERT_TRUE(recorder->add(points_of(nameless)));
  EXPECT_TRUE(ask(0, 10, 1).lines.empty());
}

TEST_F(Records, KeepsAttemptsApartUntilTheJobIsForgotten) {
  add_job({JobId{7}, 1}, 0, 1ULL << 30);
  add_job({JobId{7}, 2}, 30, 3ULL << 30);
  add_job({JobId{8}, 1}, 30, 1ULL << 30);
  const Answer answer = ask(0, 60, 6, JobId{7});
  ASSERT_EQ(answer.lines.size(), 2U);
  EXPECT_EQ(answer.lines[1].attempt, (AttemptId{JobId{7}, 2}));
  EXPECT_EQ(series_named(answer.lines[1], "vram_bytes_max").values[3],
            static_cast<double>(3ULL << 30));
  EXPECT_EQ(series_named(answer.lines[1], "vram_bytes").values[0], std::nullopt);

  ASSERT_TRUE(recorder->forget(JobId{7}));
  EXPECT_TRUE(ask(0, 60, 6, JobId{7}).lines.empty());
  ASSERT_TRUE(recorder->forget_all_but({JobId{9}}));
  EXPECT_TRUE(ask(0, 60, 6, JobId{8}).lines.empty());
}

TEST_F(Records, AJobsMinutesStayHoweverOldTheyAre) {
  add_job({JobId{7}, 1}, 0, 1ULL << 30);
  for (double second = 40 * kDay; second < 40 * kDay + 1000; ++second) add(0, second, 1);
  const Answer answer = ask(0, 600, 10, JobId{7});
  EXPECT_EQ(answer.step, Seconds{60});
  EXPECT_EQ(known_values(answer), 1U);
}

TEST_F(Records, StayWithinTheirSize) {
  open({.size_most = 300 << 10});
  double second = 0;
  for (; second < 3 * kDay; second += 10) {
    for (int card = 0; card < 2; ++card) {
      CardPoint point = card_point(card, at(second), static_cast<double>(lrand48() % 100));
      point.power_watts = static_cast<double>(lrand48() % 700);
      point.used_bytes = static_cast<std::uint64_t>(lrand48()) << 4;
      ASSERT_TRUE(recorder->add(points_of(point)));
    }
  }
  ASSERT_TRUE(recorder->save_all());
  recorder.reset();
  EXPECT_LE(std::filesystem::file_size(directory.file()), 400U << 10);
  open();
  // The newest is what stays.
  EXPECT_EQ(known_values(ask(second - 3600, second, 120)), 240U);
}

}  // namespace
}  // namespace gpusched::history
