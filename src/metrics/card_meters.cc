#include "metrics/card_meters.h"

#include <chrono>
#include <string>
#include <variant>

namespace gpusched::metrics {
namespace {

// Nobody looked meanwhile: nobody knows.
constexpr Seconds kLongestGap{60};
// The driver has some 170 of them; a machine sees a few.
constexpr std::size_t kXidsMost = 50;

}  // namespace

void CardMeters::add(Entry& entry, const watch::SampleReport& report) {
  const auto before = entry.seen;
  entry.seen = report.at.boot;
  if (!report.sample.throttle) return;
  entry.tells_throttle = true;
  if (!before || report.at.boot <= *before || report.at.boot - *before > kLongestGap) return;
  const std::chrono::duration<double> passed = report.at.boot - *before;
  for (std::size_t i = 0; i < kThrottleReasons.size(); ++i) {
    if ((*report.sample.throttle >> i & 1U) != 0) entry.throttled[i] += passed.count();
  }
}

void CardMeters::take(const watch::Report& report) {
  if (const auto* sample = std::get_if<watch::SampleReport>(&report)) {
    return add(entries_[sample->card], *sample);
  }
  const auto* said = std::get_if<watch::EventReport>(&report);
  if (said == nullptr || !said->card || said->event.kind != watch::CardEvent::Kind::kXid) return;
  auto& xids = entries_[*said->card].xids;
  const bool known = xids.contains(said->event.number) || xids.size() < kXidsMost;
  ++xids[known ? said->event.number : 0];
}

void CardMeters::write(Exposition& out) const {
  out.family({.name = "gpusched_card_xid_total",
              .type = Type::kCounter,
              .help = "Errors that the driver told of by number (XID)."});
  for (const auto& [card, entry] : entries_) {
    for (const auto& [xid, count] : entry.xids) {
      out.add({{"card", std::to_string(number_of(card))},
               {"xid", xid == 0 ? std::string("other") : std::to_string(xid)}},
              count);
    }
  }
  out.family({.name = "gpusched_card_throttle_seconds_total",
              .type = Type::kCounter,
              .help = "Time for which the card's clocks were held down, by reason.",
              .unit = "seconds"});
  for (const auto& [card, entry] : entries_) {
    if (!entry.tells_throttle) continue;
    for (std::size_t i = 0; i < kThrottleReasons.size(); ++i) {
      out.add({{"card", std::to_string(number_of(card))}, {"reason", kThrottleReasons[i]}},
              entry.throttled[i]);
    }
  }
}

}  // namespace gpusched::metrics
