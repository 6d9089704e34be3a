#include "scheduler/card_roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

namespace gpusched::library {
namespace {

constexpr int kHighestNumber = 65'535;
// An exbibyte: more than a card has, little enough that sums of it are right.
constexpr std::uint64_t kVramMost = 1ULL << 60;

}  // namespace

Reply<std::vector<CardFact>> checked_cards(std::vector<CardFact> facts) {
  std::set<int> numbers;
  for (CardFact& fact : facts) {
    if (fact.number < 0 || fact.number > kHighestNumber) {
      return fault(FaultKind::kInvalid,
                   fmt::format("there is no card number {}; cards have numbers from 0 to {}",
                               fact.number, kHighestNumber));
    }
    if (!numbers.insert(fact.number).second) {
      return fault(FaultKind::kInvalid, fmt::format("two cards have the number {}", fact.number));
    }
    if (fact.uuid.empty()) fact.uuid = fmt::format("card-{}", fact.number);
    fact.vram_bytes = std::min(fact.vram_bytes, kVramMost);
    fact.used_bytes = std::min(fact.used_bytes, fact.vram_bytes);
  }
  return facts;
}

Reply<std::vector<CardFact>> look_safely(const std::function<std::vector<CardFact>()>& look) {
  const auto failed = [](const std::string& why) {
    return fault(FaultKind::kUnavailable, "the cards could not be looked at: " + why);
  };
  try {
    auto checked = checked_cards(look());
    if (!checked) return failed(checked.error().message);
    return checked;
  } catch (const std::exception& thrown) {
    return failed(thrown.what());
  } catch (...) {
    return failed("look() threw something that is no std::exception");
  }
}

}  // namespace gpusched::library
