// From the sampler's numbers, which count the cards that are there now, to ours, which stay with
// their cards. Everybody behind this knows only ours.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/model/card.h"
#include "watch/report.h"

namespace gpusched {

class ReportNumbers {
 public:
  // The cards as they are numbered here, by UUID; the report gets their numbers too.
  void learn(const std::vector<Card>& cards, watch::CardsReport& report);
  // False: the report is of a card that nobody has named.
  bool translate(watch::Report& report) const;
  // The way back, for orders.
  std::optional<CardNumber> samplers_number_of(CardNumber ours) const;

 private:
  std::map<CardNumber, CardNumber> ours_;
};

}  // namespace gpusched
