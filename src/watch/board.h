// The last that was said of each card, for those who show it.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "watch/report.h"

namespace gpusched::watch {

struct CardBoard {
  struct Entry {
    std::optional<SampleReport> sample;  // The last one, also while the card is silent since.
  };
  std::vector<NumberedCard> cards;
  std::vector<BackendState> backends;
  std::map<CardNumber, Entry> entries;
};

}  // namespace gpusched::watch
