#include "engine/card_description.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(SimulatedCards, AreDescribedByCountSizeAndModel) {
  const auto cards = parse_simulated_cards("2x24G,1x80G:NVIDIA H100");
  ASSERT_TRUE(cards.has_value());
  ASSERT_EQ(cards->size(), 3u);
  EXPECT_EQ((*cards)[1].vram_bytes, 24ULL << 30);
  EXPECT_EQ((*cards)[1].model, "Simulated 24.0 GiB");
  EXPECT_EQ((*cards)[2].model, "NVIDIA H100");
  EXPECT_EQ(number_of((*cards)[2].number), 2);
}

TEST(SimulatedCards, HaveStableAndDistinctUuids) {
  const auto once = parse_simulated_cards("2x24G");
  const auto again = parse_simulated_cards("2x24G");
  EXPECT_EQ((*once)[0].uuid, (*again)[0].uuid);
  EXPECT_NE((*once)[0].uuid, (*once)[1].uuid);
  EXPECT_EQ((*once)[0].uuid.size(), std::string("GPU-01234567-0123-0123-0123-0123456789ab").size());
}

TEST(SimulatedCards, RefusesWhatMakesNoSense) {
  for (const char* text :
       {"", "x", "2", "0x24G", "2x", "2x0", "-1x24G", "65x1G", "2x24G,", "ax24G"}) {
    const auto cards = parse_simulated_cards(text);
    ASSERT_FALSE(cards.has_value()) << text;
    EXPECT_EQ(cards.error().code, ErrorCode::kInvalid);
  }
}

}  // namespace
}  // namespace gpusched
