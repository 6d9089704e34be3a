#include "core/state/pending.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

// Jobs of three tenants with needs of 1 to 20 GiB, some of which could do without a card.
State mixed_queue(std::mt19937& random) {
  State state = machine(1, 24);
  for (int i = 0; i < 40; ++i) {
    Ask one = ask().vram(1 + random() % 20).uid(static_cast<std::uint32_t>(random() % 3));
    one.priority(40 + static_cast<int>(random() % 3));
    if (random() % 4 == 0) one.spec().needs.cpu_use = CpuUse::kFallback;
    one.submit(state, at_second(i));
  }
  return state;
}

// In order, without the shapes that ask for more; after the fifth no cards, if told so.
std::vector<JobId> walked(const State& state, bool quickly, bool leave_cards) {
  constexpr std::uint64_t kMost = 10 * kGiB;
  const auto too_large = [](const CardAsk& ask) { return ask.vram_bytes > kMost; };
  std::vector<JobId> jobs;
  std::size_t left = 0;
  PendingWalk walk(state.pending(), {0, 1, 0});
  while (true) {
    if (quickly) left += walk.leave_while(too_large, 1000);
    const OrderKey* key = walk.next();
    if (key == nullptr) break;
    if (walk.needs_card() && too_large(walk.card_ask())) {
      EXPECT_FALSE(quickly);
      ++left;
      continue;
    }
    jobs.push_back(key->job);
    walk.take();
    if (leave_cards && jobs.size() == 5) walk.leave_cards();
  }
  jobs.push_back(JobId{left});
  return jobs;
}

TEST(PendingWalk, LeavingShapesInOneGoIsTheSameWalk) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    const State state = mixed_queue(random);
    for (const bool leave_cards : {false, true}) {
      EXPECT_EQ(walked(state, true, leave_cards), walked(state, false, leave_cards));
    }
  }
}

TEST(PendingWalk, LeavesNoMoreThanItIsTold) {
  State state = machine(1, 24);
  for (std::uint64_t gib = 1; gib <= 5; ++gib) {
    ask().vram(gib).submit(state, at_second(static_cast<std::int64_t>(gib)));
  }
  PendingWalk walk(state.pending());
  EXPECT_EQ(walk.leave_while([](const CardAsk&) { return true; }, 3), 3U);
  EXPECT_EQ(walk.next()->job, JobId{4});
}

}  // namespace
}  // namespace gpusched::testing
