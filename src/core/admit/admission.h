// "Is it safe right now?", for one card. The sharing rule of declared needs: live samples, foreign
// processes and ramp holds enter here, and only here.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/card.h"
#include "core/model/card_rules.h"
#include "core/model/lack.h"
#include "core/model/needs.h"
#include "core/model/rules.h"
#include "core/state/state_view.h"

namespace gpusched {

// What a job with these needs would hold on this card.
CardGrant grant_on(const Card& card, const Needs& needs);

// The same for card after card: worked out anew only where one differs from the one before.
// REQUIRES: the needs stay where they are.
class GrantFor {
 public:
  explicit GrantFor(const Needs& needs) : needs_(&needs) {}
  const CardGrant& on(const Card& card);

 private:
  const Needs* needs_;
  const Card* like_ = nullptr;  // The card it was worked out for.
  CardGrant grant_;
};

// Alone on the card, need <= capacity less foreign use is enough; to share, memory must leave the
// headroom free and compute must stay under the cap. Foreign processes that compute more than what
// the cap leaves of the card are company like jobs.
CardLack lack_on(const Card& card, const CardHolds& holds, const CardGrant& wanted,
                 const Rules& rules);
bool fits_on(const Card& card, const CardHolds& holds, const CardGrant& wanted, const Rules& rules);

// The most that any single card offers to one more job. What asks for more than this fits nowhere,
// which a turn then knows of a whole shape without looking at the cards.
struct BestRoom {
  std::uint64_t alone_bytes = 0;  // On cards without jobs.
  std::uint64_t vram_bytes = 0;   // On cards that are shared already.
  int share_percent = 0;
  int cards = 0;        // With any room at all.
  int in_one_node = 0;  // Of these, most that stand together.
  int node_size = 0;
  int whole_nodes = 0;  // Of which every card has room.
  bool shared() const { return vram_bytes > 0 && share_percent > 0; }
  bool none() const { return alone_bytes == 0 && !shared(); }
};
// Cards of `kept`, which are in order, count as taken where they are kept whole.
BestRoom best_room(const std::vector<Card>& cards, const std::vector<CardHolds>& holds,
                   const Rules& rules, const std::vector<CardGrant>& kept = {});
// Certain: no card fits. False says nothing.
bool exceeds(const CardAsk& ask, const BestRoom& room);

// What one more job could be given of this card, headroom aside: under the card's cap, and beside
// what others use.
std::uint64_t room_on(const Card& card, const CardHolds& holds);
// What counts of its compute in percent, by jobs and by others.
int load_on(const CardHolds& holds, const Rules& rules);
int share_cap_of(const Card& card, const Rules& rules);
// What of it one more job may be promised there.
int share_left_on(const Card& card, const CardHolds& holds, const Rules& rules);
// What sharing never hands out on this card.
std::uint64_t headroom_of(const Card& card, const Rules& rules);

// The card could hold the need if it were empty.
bool could_ever_fit(const Card& card, const Needs& needs);

}  // namespace gpusched
