#include "history/feed.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/state/state.h"
#include "history/test_places.h"

namespace gpusched::history {
namespace {

using testing::at;

constexpr std::uint64_t kGiB = 1ULL << 30;
constexpr AttemptId kAttempt{JobId{7}, 1};

class Feeds : public ::testing::Test {
 protected:
  Feeds() {
    std::vector<Card> cards;
    for (int i = 0; i < 2; ++i) {
      cards.push_back({static_cast<CardNumber>(i), "GPU-" + std::to_string(i), "Sim", 24 * kGiB});
    }
    state.set_cards(cards);
    Job job;
    job.id = kAttempt.job;
    job.attempt = kAttempt.number;
    job.spec = std::make_shared<JobSpec>();
    Running running;
    for (int i = 0; i < 2; ++i) {
      CardGrant grant;
      grant.card = static_cast<CardNumber>(i);
      grant.vram_bytes = 8 * kGiB;
      running.grant.cards.push_back(grant);
    }
    job.state = running;
    state.put(job, Now{});
  }
  static watch::WatchedProcess process(std::optional<std::uint64_t> vram_bytes,
                                       std::optional<AttemptId> attempt) {
    watch::WatchedProcess process;
    process.seen.vram_bytes = vram_bytes;
    process.seen.busy_percent = 40;
    process.owner.attempt = attempt;
    return process;
  }
  static watch::SampleReport sample(int card,
                                    std::optional<std::vector<watch::WatchedProcess>> processes) {
    watch::SampleReport report;
    report.card = static_cast<CardNumber>(card);
    report.uuid = "GPU-" + std::to_string(card);
    report.at.wall = at(5);
    report.sample.used_bytes = 9 * kGiB;
    report.processes = std::move(processes);
    return report;
  }

  State state;
  Feed feed;
};

TEST_F(Feeds, ACardHasWhatWasMeasuredAndWhatWasHandedOut) {
  const Points points =
      feed.take(sample(1, {{process(kGiB, kAttempt), process(kGiB, std::nullopt)}}), state);
  ASSERT_EQ(points.cards.size(), 1U);
  EXPECT_EQ(points.cards[0].uuid, "GPU-1");
  EXPECT_EQ(points.cards[0].at, at(5));
  EXPECT_EQ(points.cards[0].used_bytes, 9 * kGiB);
  EXPECT_EQ(points.cards[0].busy_percent, std::nullopt);
  EXPECT_EQ(points.cards[0].held_vram_bytes, 8 * kGiB);
  EXPECT_EQ(points.cards[0].jobs, 1);
  EXPECT_EQ(points.cards[0].foreign_processes, 1);
}

TEST_F(Feeds, AnAttemptHasItsCardsTogetherOnceAPeriod) {
  EXPECT_TRUE(feed.take(sample(1, {{process(3 * kGiB, kAttempt)}}), state).jobs.empty());
  const Points points =
      feed.take(sample(0, {{process(kGiB, kAttempt), process(kGiB, kAttempt)}}), state);
  ASSERT_EQ(points.jobs.size(), 1U);
  EXPECT_EQ(points.jobs[0].attempt, kAttempt);
  EXPECT_EQ(points.jobs[0].vram_bytes, 5 * kGiB);
  EXPECT_EQ(points.jobs[0].busy_percent, 60);
}

TEST_F(Feeds, NotBeingListedIsUsingNothing) {
  feed.take(sample(1, {{}}), state);
  const Points points = feed.take(sample(0, std::vector<watch::WatchedProcess>{}), state);
  ASSERT_EQ(points.jobs.size(), 1U);
  EXPECT_EQ(points.jobs[0].vram_bytes, 0U);
}

TEST_F(Feeds, WhatIsNotKnownOfOneCardIsNotKnownOfTheWhole) {
  // Never seen.
  EXPECT_TRUE(feed.take(sample(0, std::vector<watch::WatchedProcess>{}), state).jobs.empty());
  // The driver does not list processes.
  feed.take(sample(1, std::nullopt), state);
  EXPECT_TRUE(feed.take(sample(0, std::vector<watch::WatchedProcess>{}), state).jobs.empty());
  EXPECT_EQ(feed.take(sample(0, std::nullopt), state).cards[0].foreign_processes, std::nullopt);
  // It does, but does not say how much this one uses.
  feed.take(sample(1, {{process(std::nullopt, kAttempt)}}), state);
  const Points points = feed.take(sample(0, {{process(kGiB, kAttempt)}}), state);
  ASSERT_EQ(points.jobs.size(), 1U);
  EXPECT_EQ(points.jobs[0].vram_bytes, std::nullopt);
  // It no longer answers.
  watch::UnknownReport silent;
  silent.card = CardNumber{1};
  EXPECT_TRUE(feed.take(silent, state).cards.empty());
  EXPECT_TRUE(feed.take(sample(0, std::vector<watch::WatchedProcess>{}), state).jobs.empty());
}

}  // namespace
}  // namespace gpusched::history
