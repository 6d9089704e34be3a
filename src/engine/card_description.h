// Cards in words: `2x24G`, `2x24G,1x80G:H100`. For `serve --sim` and `simulate --machine`. Their
// UUIDs follow from the words, so that a restart finds the same cards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/model/card.h"

namespace gpusched {

// COUNTxSIZE[:MODEL], separated by commas; at most 64 cards.
Result<std::vector<Card>> parse_simulated_cards(std::string_view text);

// A UUID in NVIDIA's form that follows from the two: the same on every machine.
std::string simulated_uuid(std::string_view kind, std::size_t number);

}  // namespace gpusched
