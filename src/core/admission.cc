#include "core/admission.h"

#include <algorithm>
#include <cctype>

namespace gpusched {
namespace {

bool contains_ignoring_case(const std::string& text, const std::string& part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

// What is left of a card after those who are no jobs of ours.
std::uint64_t room_beside(const Card& card, const CardHolds& holds) {
  return card.capacity_bytes() - std::min(card.capacity_bytes(), holds.beyond.vram_bytes);
}

// What must be free for a job that will be alone there.
std::uint64_t start_need(const Card& card, const CardGrant& wanted, const Rules& rules) {
  if (wanted.least_bytes > 0) return wanted.least_bytes;
  if (!wanted.whole) return wanted.vram_bytes;
  return card.capacity_bytes() / 100 * static_cast<std::uint64_t>(rules.undeclared_free_percent);
}

}  // namespace

CardGrant grant_on(const Card& card, const Needs& needs) {
  const std::uint64_t capacity = card.capacity_bytes();
  CardGrant grant{.card = card.number,
                  .vram_bytes = needs.vram_bytes,
                  .share_percent = needs.share_percent,
                  .whole = needs.whole_cards()};
  grant.least_bytes = needs.vram_bytes;
  if (grant.whole) {
    grant.vram_bytes = std::max(needs.vram_bytes, capacity);
    grant.share_percent = 100;
    return grant;
  }
  // The side that was not declared follows from the one that was.
  if (grant.vram_bytes == 0) {
    grant.vram_bytes = capacity / 100 * static_cast<std::uint64_t>(needs.share_percent);
  } else if (grant.share_percent == 0 && capacity > 0) {
    const std::uint64_t share = (needs.vram_bytes * 100 + capacity - 1) / capacity;
    grant.share_percent = static_cast<int>(std::min<std::uint64_t>(share, 100));
  }
  return grant;
}

std::uint64_t headroom_of(const Card& card, const Rules& rules) {
  const std::uint64_t part =
      card.capacity_bytes() / 100 * static_cast<std::uint64_t>(rules.headroom_percent);
  return std::max(rules.headroom_bytes_least, part);
}

bool fits_on(const Card& card, const CardHolds& holds, const CardGrant& wanted,
             const Rules& rules) {
  if (!card.usable || wanted.vram_bytes > card.capacity_bytes()) return false;
  if (holds.jobs == 0) return start_need(card, wanted, rules) <= room_beside(card, holds);
  if (wanted.whole || holds.whole || !rules.sharing) return false;
  const std::uint64_t headroom = headroom_of(card, rules);
  const std::uint64_t used = holds.vram_bytes + holds.beyond.vram_bytes;
  return used + wanted.vram_bytes + headroom <= card.capacity_bytes() &&
         holds.share_percent + holds.beyond.load_percent + wanted.share_percent <=
             rules.share_cap_percent;
}

BestRoom best_room(const std::vector<Card>& cards, const std::vector<CardHolds>& holds,
                   const Rules& rules) {
  BestRoom best;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (!cards[i].usable) continue;
    if (holds[i].jobs == 0) {
      best.alone_bytes = std::max(best.alone_bytes, room_beside(cards[i], holds[i]));
      continue;
    }
    if (holds[i].whole || !rules.sharing) continue;
    const std::uint64_t taken =
        holds[i].vram_bytes + holds[i].beyond.vram_bytes + headroom_of(cards[i], rules);
    const std::uint64_t capacity = cards[i].capacity_bytes();
    best.vram_bytes = std::max(best.vram_bytes, capacity - std::min(capacity, taken));
    best.share_percent =
        std::max(best.share_percent,
                 rules.share_cap_percent - holds[i].share_percent - holds[i].beyond.load_percent);
  }
  return best;
}

bool exceeds(const CardAsk& ask, const BestRoom& room) {
  if (room.alone_bytes > 0 && ask.vram_bytes <= room.alone_bytes) return false;
  return !room.shared() || ask.whole || ask.vram_bytes > room.vram_bytes ||
         ask.share_percent > room.share_percent;
}

bool matches(const Card& card, const CardFilter& filter) {
  const auto named = [&card](const std::vector<CardNumber>& list) {
    return std::ranges::find(list, card.number) != list.end();
  };
  if (!filter.only.empty() && !named(filter.only)) return false;
  if (named(filter.avoid)) return false;
  return filter.type.empty() || contains_ignoring_case(card.model, filter.type);
}

bool could_ever_fit(const Card& card, const Needs& needs) {
  return matches(card, needs.cards) && grant_on(card, needs).vram_bytes <= card.capacity_bytes();
}

}  // namespace gpusched
