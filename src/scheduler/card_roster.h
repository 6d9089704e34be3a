// What a program says of its cards, before it is believed: numbers that no card can have are a
// fault with a sentence, sizes are kept within what can be reckoned with, and no exception of the
// program's own function gets further than here.
#pragma once

#include <functional>
#include <vector>

#include "scheduler/backend.h"

namespace gpusched::library {

// kInvalid: a number is out of range, or given twice.
Reply<std::vector<CardFact>> checked_cards(std::vector<CardFact> facts);

// kUnavailable: it threw, or what it said cannot be.
Reply<std::vector<CardFact>> look_safely(const std::function<std::vector<CardFact>()>& look);

}  // namespace gpusched::library
