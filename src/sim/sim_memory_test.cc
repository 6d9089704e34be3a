// What simulated jobs have on simulated cards: the invariants of the world with faults stand on it.
#include <gtest/gtest.h>

#include "sim/sim_cards.h"
#include "sim/sim_launcher.h"
#include "sim/sim_mover.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;
constexpr CardNumber kCard{0};
constexpr AttemptId kAttempt{JobId{1}, 1};

class SimMemory : public ::testing::Test {
 protected:
  SimMemory() {
    launcher_.report_to([](const LauncherReport&) {});
    mover_.report_to([](const MoverReport&) {});
    plan_.start_after = Microseconds{0};
    plan_.run_for = Seconds{1000};
    plan_.vram_bytes = 10 * kGiB;
    plan_.vram_per_second = kGiB;
    plan_.cards = {kCard};
    launcher_.advance(now_);
    launcher_.launch(LaunchOrder{.attempt = kAttempt});
    launcher_.advance(now_);
    mover_.advance(now_);
  }
  void pass(int seconds) {
    now_.boot += Seconds{seconds};
    now_.wall += Seconds{seconds};
    launcher_.advance(now_);
    mover_.advance(now_);
  }
  std::uint64_t gib() const {
    const auto there = launcher_.on_card(kCard);
    return there.empty() ? 0 : there.front().vram_bytes / kGiB;
  }

  Now now_{Wall{Seconds{1000}}, Boot{Seconds{100}}};
  SimLauncher::Plan plan_;
  SimLauncher launcher_{[this](const LaunchOrder&) { return plan_; }};
  SimMover mover_{launcher_};
};

TEST_F(SimMemory, GrowsUpToItsEnd) {
  pass(3);
  EXPECT_EQ(gib(), 3u);
  EXPECT_TRUE(launcher_.on_card(kCard).front().grows);
  pass(30);
  EXPECT_EQ(gib(), 10u);
  EXPECT_FALSE(launcher_.on_card(kCard).front().grows);
  EXPECT_TRUE(launcher_.on_card(CardNumber{1}).empty());
}

TEST_F(SimMemory, StaysWhileTheJobIsFrozen) {
  pass(3);
  mover_.move_aside({.attempt = kAttempt});
  pass(5);
  EXPECT_EQ(gib(), 3u);
  mover_.bring_back({.attempt = kAttempt});
  pass(1);
  pass(2);
  EXPECT_EQ(gib(), 5u);
}

TEST_F(SimMemory, IsAwayWhileTheJobIsMovedOut) {
  pass(3);
  mover_.move_aside({.attempt = kAttempt, .checkpoint = true});
  EXPECT_EQ(gib(), 3u) << "it is on its way";
  pass(10);
  EXPECT_EQ(gib(), 0u);
  EXPECT_EQ(launcher_.part_on_each_card(kAttempt), 3 * kGiB);
  mover_.bring_back({.attempt = kAttempt, .checkpoint = true});
  EXPECT_EQ(gib(), 3u) << "what comes back takes its room at once";
}

TEST_F(SimMemory, WhoRunsOutOfItEndsWithThatCause) {
  std::optional<Cause> cause;
  launcher_.report_to([&](const LauncherReport& report) {
    if (const auto* ended = std::get_if<AttemptFinished>(&report)) cause = ended->cause;
  });
  launcher_.run_out_of_memory(kAttempt);
  pass(1);
  EXPECT_EQ(cause, Cause::kCudaOom);
  EXPECT_EQ(gib(), 0u);
}

TEST_F(SimMemory, LooksShowWhoHasGrown) {
  const std::vector<Card> cards{{.number = kCard, .vram_bytes = 24 * kGiB}};
  const auto on_card = [this](CardNumber card) {
    std::vector<SeenProcess> seen;
    for (const auto& one : launcher_.on_card(card)) {
      seen.push_back({.pid = 7, .vram_bytes = one.vram_bytes, .attempt = one.attempt});
    }
    return seen;
  };
  SimCards sim(cards, [](int) { return 1; }, {on_card, [](int) { return false; }});
  const auto show = [&] { sim.calm_down(now_); };
  sim.show_all([](const CardSeen&) {}, now_);
  pass(2);
  show();
  ASSERT_EQ(sim.grown_on(kCard).size(), 1u);
  EXPECT_EQ(sim.grown_on(kCard).front().vram_bytes, 2 * kGiB);
  pass(9);
  show();
  pass(1);
  show();
  EXPECT_TRUE(sim.grown_on(kCard).empty()) << "it has what it wants";
}

}  // namespace
}  // namespace gpusched
