#include "replay/suggest.h"

#include <gtest/gtest.h>

namespace gpusched::replay {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;

// Jobs of an hour each, all at once, on one card of 24 GiB.
Past past_of(int jobs, std::uint64_t asked_gib, std::uint64_t peak_bytes) {
  Past past;
  for (int i = 0; i < jobs; ++i) {
    TraceJob job;
    job.line = static_cast<std::size_t>(i) + 1;
    job.submit = Seconds{i};
    job.duration = Seconds{3600};
    job.needs.vram_bytes = asked_gib * kGiB;
    job.tenant = "ml1";
    past.trace.push_back(job);
    past.details.push_back(
        {.program = "python train.py", .vram_bytes = asked_gib * kGiB, .peak_bytes = peak_bytes});
  }
  return past;
}

SimulateAsked one_card_of_24() {
  SimulateAsked asked;
  asked.machine = *describe_machine("1x24G", "64", "512G");
  return asked;
}

TEST(Suggest, SaysHowMuchSoonerASmallerRequestWouldHaveStarted) {
  const auto found = suggest(one_card_of_24(), past_of(6, 20, 6 * kGiB + kGiB / 10));
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1U);
  const Suggestion& one = found->front();
  EXPECT_EQ(one.runs, 6U);
  EXPECT_EQ(one.suggested_bytes, 8 * kGiB);
  // One after the other they wait 0 … 5 h; two at a time 0, 0, 1, 1, 2, 2.
  EXPECT_NEAR(one.sooner_s, 1.5 * 3600, 60);
  EXPECT_EQ(suggestion_text(one),
            "python train.py of ml1 asks for 20 GiB and used at most 6.1 GiB in 6 runs; with 8 GiB "
            "it would have started 1.5 h earlier on average.");
}

TEST(Suggest, NeedsFiveRunsARealDifferenceAndASaving) {
  EXPECT_TRUE(suggest(one_card_of_24(), past_of(4, 20, 6 * kGiB))->empty()) << "four runs";
  EXPECT_TRUE(suggest(one_card_of_24(), past_of(6, 10, 7 * kGiB))->empty()) << "9 of 10 GiB";
  EXPECT_TRUE(suggest(one_card_of_24(), past_of(6, 20, 0))->empty()) << "never seen";
  SimulateAsked wide;
  wide.machine = *describe_machine("8x24G", "64", "512G");
  EXPECT_TRUE(suggest(wide, past_of(6, 20, 6 * kGiB))->empty()) << "nobody waited";
}

TEST(Suggest, AMarginIsAQuarterAndAtLeastOneGib) {
  EXPECT_EQ(suggested_for(100ULL << 20), 2 * kGiB);
  EXPECT_EQ(suggested_for(8 * kGiB), 10 * kGiB);
  EXPECT_EQ(suggested_for(8 * kGiB + 1), 11 * kGiB);
}

}  // namespace
}  // namespace gpusched::replay
