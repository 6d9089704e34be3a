// Placement by turns: the card that was granted least often comes first. Over any run in which two
// equal cards could take the same requests, the numbers of their grants differ by at most one; a
// card that was busy catches up when it can.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/model/card.h"
#include "core/model/job.h"

namespace gpusched {

// How often each card was granted by turns.
class CardTurns {
 public:
  // A card that is new begins where the last of the others stands: it need not catch up with
  // grants that were made before it came.
  void admit(const std::vector<Card>& cards);
  void count(const Grant& grant);
  void set(CardNumber card, std::uint64_t grants) { grants_[card] = grants; }
  std::uint64_t of(CardNumber card) const;

 private:
  std::map<CardNumber, std::uint64_t> grants_;
};

// Brings positions in `cards` into the order in which it is their turn. `more` is what has been
// granted beside `turns`: earlier in the same decision.
void order_by_turns(std::vector<std::size_t>& positions, const std::vector<Card>& cards,
                    const CardTurns& turns, const std::map<CardNumber, std::uint64_t>& more);

}  // namespace gpusched
