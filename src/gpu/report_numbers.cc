#include "gpu/report_numbers.h"

#include <algorithm>

namespace gpusched {
namespace {

using Numbers = std::map<CardNumber, CardNumber>;

struct Translate {
  const Numbers& ours;

  bool change(CardNumber& card) const {
    const auto found = ours.find(card);
    if (found == ours.end()) return false;
    card = found->second;
    return true;
  }
  bool operator()(watch::SampleReport& report) const { return change(report.card); }
  bool operator()(watch::UnknownReport& report) const { return change(report.card); }
  bool operator()(watch::AsleepReport& report) const { return change(report.card); }
  bool operator()(watch::GoneReport& report) const { return change(report.card); }
  bool operator()(watch::EndedReport& report) const { return change(report.card); }
  bool operator()(watch::EventReport& report) const { return !report.card || change(*report.card); }
  // Makes the numbers, so it comes with the driver's.
  bool operator()(watch::CardsReport&) const { return true; }
  bool operator()(watch::ComplaintReport&) const { return true; }
  bool operator()(watch::OtherReport&) const { return true; }
};

}  // namespace

void ReportNumbers::learn(const std::vector<Card>& cards, watch::CardsReport& report) {
  ours_.clear();
  for (watch::NumberedCard& seen : report.cards) {
    const auto card = std::ranges::find(cards, seen.identity.uuid, &Card::uuid);
    if (card == cards.end()) continue;
    ours_[seen.number] = card->number;
    seen.number = card->number;
  }
}

std::optional<CardNumber> ReportNumbers::samplers_number_of(CardNumber ours) const {
  for (const auto& [samplers, number] : ours_) {
    if (number == ours) return samplers;
  }
  return std::nullopt;
}

bool ReportNumbers::translate(watch::Report& report) const {
  return std::visit(Translate{ours_}, report);
}

}  // namespace gpusched
