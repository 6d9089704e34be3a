#include "metrics/card_meters.h"

#include <gtest/gtest.h>

#include <string>

namespace gpusched::metrics {
namespace {

watch::Report seen(int card, int second, std::optional<std::uint32_t> throttle) {
  watch::SampleReport report;
  report.card = CardNumber{static_cast<std::uint16_t>(card)};
  report.at.boot = Boot(Seconds{second});
  report.sample.throttle = throttle;
  return report;
}

watch::Report xid(std::optional<CardNumber> card, std::uint64_t number) {
  watch::EventReport report;
  report.card = card;
  report.event.kind = watch::CardEvent::Kind::kXid;
  report.event.number = number;
  return report;
}

std::string text_of(const CardMeters& meters) {
  Exposition out(Format::kText);
  meters.write(out);
  return out.take();
}
bool has(const CardMeters& meters, const std::string& line) {
  return text_of(meters).find(line + "\n") != std::string::npos;
}

TEST(CardMeters, AddUpTheTimeForWhichClocksAreHeldDown) {
  CardMeters meters;
  meters.take(seen(0, 10, watch::kThrottlePower));
  meters.take(seen(0, 12, watch::kThrottlePower));
  meters.take(seen(0, 13, watch::kThrottlePower | watch::kThrottleHardThermal));
  meters.take(seen(0, 14, 0));
  EXPECT_TRUE(has(meters, R"(gpusched_card_throttle_seconds_total{card="0",reason="power"} 3)"));
  EXPECT_TRUE(
      has(meters, R"(gpusched_card_throttle_seconds_total{card="0",reason="hard_thermal"} 1)"));
  EXPECT_TRUE(has(meters, R"(gpusched_card_throttle_seconds_total{card="0",reason="idle"} 0)"));
}

TEST(CardMeters, DoNotCountTimeInWhichNobodyLooked) {
  CardMeters meters;
  meters.take(seen(0, 10, watch::kThrottlePower));
  meters.take(seen(0, 1000, watch::kThrottlePower));
  meters.take(seen(0, 900, watch::kThrottlePower));
  EXPECT_TRUE(has(meters, R"(gpusched_card_throttle_seconds_total{card="0",reason="power"} 0)"));
}

TEST(CardMeters, SayNothingOfACardThatDoesNotTell) {
  CardMeters meters;
  meters.take(seen(3, 10, std::nullopt));
  EXPECT_EQ(text_of(meters).find("card=\"3\""), std::string::npos);
}

TEST(CardMeters, CountErrorsByNumberAndABoundedNumberOfThem) {
  CardMeters meters;
  meters.take(xid(CardNumber{1}, 79));
  meters.take(xid(CardNumber{1}, 79));
  meters.take(xid(std::nullopt, 31));
  EXPECT_TRUE(has(meters, R"(gpusched_card_xid_total{card="1",xid="79"} 2)"));
  for (std::uint64_t number = 1000; number < 1100; ++number) {
    meters.take(xid(CardNumber{1}, number));
  }
  EXPECT_TRUE(has(meters, R"(gpusched_card_xid_total{card="1",xid="other"} 51)"));
  EXPECT_EQ(text_of(meters).find("1099"), std::string::npos);
}

}  // namespace
}  // namespace gpusched::metrics
