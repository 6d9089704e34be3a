#include "core/policy/pack_choice.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

PackRequest part_of_card(int milli) {
  return {.cpu_milli = 1000, .ram_mib = 1, .cards = 1, .card_milli = milli};
}
PackRequest whole_cards(int cards) {
  return {.cpu_milli = 1000, .ram_mib = 1, .cards = cards, .card_milli = 1000};
}
PackRoom room(std::vector<int> cards) {
  return {.cpu_milli = 64'000, .ram_mib = 1000, .card_milli = std::move(cards), .model = 1};
}

TEST(Fragmentation, IsWhatTypicalRequestsCannotUse) {
  const std::vector<TypicalRequest> typical = {{part_of_card(500), 0.5}, {whole_cards(2), 0.5}};
  // Half a card serves the first kind and not the second; nothing serves neither.
  EXPECT_DOUBLE_EQ(fragmentation_of(room({1000, 1000}), typical), 0);
  EXPECT_DOUBLE_EQ(fragmentation_of(room({1000, 500}), typical), 0.5 * 1500);
  EXPECT_DOUBLE_EQ(fragmentation_of(room({1000, 1000, 400}), typical), 400);
  EXPECT_DOUBLE_EQ(fragmentation_of(room({0, 0}), typical), 0);
  PackRoom no_cpus = room({1000, 1000});
  no_cpus.cpu_milli = 0;
  EXPECT_DOUBLE_EQ(fragmentation_of(no_cpus, typical), 2000);
}

TEST(Fragmentation, TheMostFrequentKindsAreTypical) {
  std::vector<PackRequest> requests(8, part_of_card(500));
  requests.push_back(whole_cards(1));
  requests.push_back(whole_cards(8));
  const auto typical = typical_requests(requests, 0.85);
  ASSERT_EQ(typical.size(), 2u);
  EXPECT_EQ(typical[0].request.card_milli, 500);
  EXPECT_DOUBLE_EQ(typical[0].frequency + typical[1].frequency, 1);
}

TEST(Fragmentation, GradientAvoidsBreakingAWholeCard) {
  const std::vector<TypicalRequest> typical = {{part_of_card(500), 0.5}, {whole_cards(1), 0.5}};
  const PackRoom free = room({1000, 500});
  const double before = fragmentation_of(free, typical);
  const PackChoice choice = choose_by_fragmentation(part_of_card(500), free, typical, before);
  EXPECT_EQ(choice.cards, std::vector<int>{1});
  EXPECT_GT(choice.score, 50);
}

TEST(Fragmentation, TiesGoToTheFirstCard) {
  const std::vector<TypicalRequest> typical = {{part_of_card(500), 1.0}};
  const PackRoom free = room({1000, 1000});
  EXPECT_EQ(choose_by_fragmentation(part_of_card(500), free, typical, 0).cards,
            std::vector<int>{0});
}

TEST(BestFit, TakesTheFullestCardThatFits) {
  const PackChoice choice =
      choose_by_best_fit(part_of_card(300), room({1000, 200, 400}), {64'000, 3000});
  EXPECT_EQ(choice.cards, std::vector<int>{2});
}

TEST(Packing, FiltersByModelAndRoom) {
  PackRequest request = part_of_card(300);
  EXPECT_TRUE(fits_in(request, room({300})));
  EXPECT_FALSE(fits_in(request, room({299})));
  request.models = 2;
  EXPECT_FALSE(fits_in(request, room({300})));
  EXPECT_FALSE(fits_in(whole_cards(2), room({1000, 999})));
  PackRoom left = room({1000, 999});
  take_from(left, whole_cards(1), std::vector<int>{0});
  EXPECT_EQ(left.card_milli, (std::vector<int>{0, 999}));
  EXPECT_EQ(left.cpu_milli, 63'000);
}

}  // namespace
}  // namespace gpusched
