// Which number each card has: its place among the cards of all backends, in an order that does not
// depend on which driver answered first (watch/open_backends.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "watch/backend.h"
#include "watch/report.h"

namespace gpusched {

struct CardOfBackend {
  watch::NumberedCard card;
  watch::Backend* backend = nullptr;
};

// A card without a UUID (it is there but does not answer) keeps its number and is left out.
std::vector<CardOfBackend> number_cards(
    const std::vector<std::unique_ptr<watch::Backend>>& backends,
    std::vector<std::string>& complaints);

}  // namespace gpusched
