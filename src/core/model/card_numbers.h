// Which number each card has for people, also after a reboot that one of them did not survive: a
// card keeps the number that it got when it was first seen. What the driver calls it is another
// matter (Card::driver_index).
#pragma once

#include <string>
#include <vector>

#include "core/model/card.h"

namespace gpusched {

// A card that was seen once, by its UUID.
struct KnownCard {
  std::string uuid;
  std::string pci;  // Where it was last; empty: not known.
  CardNumber number{};
  friend bool operator==(const KnownCard&, const KnownCard&) = default;
};
using KnownCards = std::vector<KnownCard>;  // By number.

// Gives the cards their numbers, and remembers those that are new.
// A new card gets the number of the missing one in whose slot it sits, else the lowest free one, in
// the order of `cards`, which is PCI order. If none of the known cards is there, the machine is
// another one, and counting begins anew.
std::vector<Card> number_cards(KnownCards& known, std::vector<Card> cards);

}  // namespace gpusched
