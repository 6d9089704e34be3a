#include "core/admit/admission.h"

#include <algorithm>

#include "core/model/card_rules.h"

namespace gpusched {
namespace {

std::uint64_t less(std::uint64_t from, std::uint64_t taken) { return from - std::min(from, taken); }

int foreign_load_on(const CardHolds& holds, const Rules& rules) {
  return rules.foreign_load == ForeignLoad::kIgnore ? 0 : holds.ungranted.load_percent;
}

// No other job is there, and nobody else computes to speak of.
bool is_alone(const Card& card, const CardHolds& holds, const Rules& rules) {
  return holds.jobs == 0 && foreign_load_on(holds, rules) <= 100 - share_cap_of(card, rules);
}

// Why nobody joins the jobs that are there.
Lack closed_to_more(const Card& card, const CardHolds& holds, const Rules& rules) {
  if (holds.whole) return Lack::kTaken;
  if (holds.jobs == 0) return Lack::kNothing;
  if (!card.sharing.value_or(rules.sharing)) return Lack::kSharing;
  if (card.jobs_most && holds.jobs >= *card.jobs_most) return Lack::kJobsMost;
  return holds.ungranted.growing ? Lack::kGrowth : Lack::kNothing;
}

// What past runs say, if they say something of such a card.
const Belief* belief_on(const Card& card, const Needs& needs) {
  if (needs.exclusive) return nullptr;
  const auto found = std::ranges::find(needs.beliefs, card.model, &Belief::model);
  return found == needs.beliefs.end() || found->vram_bytes == 0 ? nullptr : &*found;
}

// Of a card that has company.
std::uint64_t shared_room(const Card& card, const CardHolds& holds, const Rules& rules) {
  // A cap is the bound of what is handed out, so what others use does not count against it.
  const std::uint64_t taken =
      holds.vram_bytes + holds.ungranted.vram_bytes + headroom_of(card, rules);
  return std::min(less(card.capacity_bytes(), holds.vram_bytes), less(card.whole_bytes(), taken));
}

// What must be free for a job that will be alone there.
std::uint64_t start_need(const Card& card, const CardGrant& wanted, const Rules& rules) {
  if (wanted.least_bytes > 0 && (wanted.whole || wanted.least_bytes >= wanted.vram_bytes)) {
    return wanted.least_bytes;
  }
  // A belief never keeps a job from starting where one that says nothing would start.
  const std::uint64_t free =
      card.capacity_bytes() / 100 * static_cast<std::uint64_t>(rules.undeclared_free_percent);
  return std::max(wanted.least_bytes, wanted.whole ? free : std::min(wanted.vram_bytes, free));
}

}  // namespace

CardGrant grant_on(const Card& card, const Needs& needs) {
  const std::uint64_t capacity = card.capacity_bytes();
  const Belief* belief = belief_on(card, needs);
  CardGrant grant{.card = card.number,
                  .vram_bytes = needs.vram_bytes,
                  .share_percent = needs.share_percent,
                  .whole = needs.exclusive || (needs.declares_nothing() && belief == nullptr)};
  grant.least_bytes = needs.vram_bytes;
  if (belief != nullptr) {
    grant.vram_bytes = std::min(belief->vram_bytes, capacity);
    grant.least_bytes = std::min(needs.vram_bytes, grant.vram_bytes);
    if (grant.share_percent == 0) grant.share_percent = belief->share_percent;
  }
  grant.vram_bytes = std::max(grant.vram_bytes, std::min(needs.vram_floor_bytes, capacity));
  if (grant.whole) {
    grant.vram_bytes = std::max(needs.vram_bytes, capacity);
    grant.share_percent = 100;
    return grant;
  }
  // The side that was not declared follows from the one that was.
  if (grant.vram_bytes == 0) {
    grant.vram_bytes = capacity / 100 * static_cast<std::uint64_t>(needs.share_percent);
  } else if (grant.share_percent == 0 && capacity > 0) {
    const std::uint64_t share = (grant.vram_bytes * 100 + capacity - 1) / capacity;
    grant.share_percent = static_cast<int>(std::min<std::uint64_t>(share, 100));
  }
  return grant;
}

const CardGrant& GrantFor::on(const Card& card) {
  const bool alike = like_ != nullptr && like_->capacity_bytes() == card.capacity_bytes() &&
                     (needs_->beliefs.empty() || like_->model == card.model);
  if (!alike) grant_ = grant_on(card, *needs_);
  like_ = &card;
  grant_.card = card.number;
  return grant_;
}

std::uint64_t room_on(const Card& card, const CardHolds& holds) {
  return std::min(less(card.capacity_bytes(), holds.vram_bytes),
                  less(card.whole_bytes(), holds.vram_bytes + holds.ungranted.vram_bytes));
}

std::uint64_t headroom_of(const Card& card, const Rules& rules) {
  if (card.headroom_bytes) return *card.headroom_bytes;
  const std::uint64_t part =
      card.whole_bytes() / 100 * static_cast<std::uint64_t>(rules.headroom_percent);
  return std::max(rules.headroom_bytes_least, part);
}

int share_cap_of(const Card& card, const Rules& rules) {
  return card.share_cap_percent.value_or(rules.share_cap_percent);
}

int load_on(const CardHolds& holds, const Rules& rules) {
  const int foreign = foreign_load_on(holds, rules);
  return holds.jobs == 0 ? foreign
                         : holds.share_percent + holds.ungranted.jobs_load_percent + foreign;
}

int share_left_on(const Card& card, const CardHolds& holds, const Rules& rules) {
  if (is_alone(card, holds, rules)) return 100;
  return std::max(0, share_cap_of(card, rules) - load_on(holds, rules));
}

CardLack lack_on(const Card& card, const CardHolds& holds, const CardGrant& wanted,
                 const Rules& rules) {
  CardLack lack{.card = card.number, .foreign_percent = foreign_load_on(holds, rules)};
  const auto missing = [&lack](Lack what, std::uint64_t left) {
    lack.what = what;
    lack.left = left;
    return lack;
  };
  if (!card.usable) return missing(Lack::kUnusable, 0);
  if (wanted.vram_bytes > card.capacity_bytes()) {
    return missing(Lack::kSize, card.capacity_bytes());
  }
  if (is_alone(card, holds, rules)) {
    const std::uint64_t room = room_on(card, holds);
    return start_need(card, wanted, rules) <= room ? lack : missing(Lack::kVram, room);
  }
  const Lack closed = closed_to_more(card, holds, rules);
  const int cap = share_cap_of(card, rules);
  if (closed == Lack::kTaken) return missing(closed, 0);
  if (wanted.whole) {
    return holds.jobs > 0 ? missing(Lack::kEmptiness, 0) : missing(Lack::kForeignLoad, 0);
  }
  if (closed != Lack::kNothing) {
    return missing(closed, static_cast<std::uint64_t>(card.jobs_most.value_or(1)));
  }
  const std::uint64_t room = shared_room(card, holds, rules);
  if (wanted.vram_bytes > room) return missing(Lack::kVram, room);
  const int load = load_on(holds, rules);
  if (load + wanted.share_percent <= cap) return lack;
  const bool without = load - lack.foreign_percent + wanted.share_percent <= cap;
  return missing(without || holds.jobs == 0 ? Lack::kForeignLoad : Lack::kCompute,
                 static_cast<std::uint64_t>(std::max(0, cap - load)));
}

bool fits_on(const Card& card, const CardHolds& holds, const CardGrant& wanted,
             const Rules& rules) {
  return lack_on(card, holds, wanted, rules).what == Lack::kNothing;
}

BestRoom best_room(const std::vector<Card>& cards, const std::vector<CardHolds>& holds,
                   const Rules& rules, const std::vector<CardGrant>& kept) {
  BestRoom best;
  auto next_kept = kept.begin();
  int node = -1;
  int node_cards = 0;  // Of the node that is looked at, and with room.
  int node_open = 0;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (cards[i].node != node) node_cards = node_open = 0;
    node = cards[i].node;
    best.node_size = std::max(best.node_size, ++node_cards);
    while (next_kept != kept.end() && next_kept->card < cards[i].number) ++next_kept;
    const bool is_kept =
        next_kept != kept.end() && next_kept->card == cards[i].number && next_kept->whole;
    if (is_kept || holds[i].whole || !cards[i].usable) continue;
    if (is_alone(cards[i], holds[i], rules)) {
      best.alone_bytes = std::max(best.alone_bytes, room_on(cards[i], holds[i]));
    } else if (closed_to_more(cards[i], holds[i], rules) == Lack::kNothing) {
      best.vram_bytes = std::max(best.vram_bytes, shared_room(cards[i], holds[i], rules));
      best.share_percent = std::max(best.share_percent, share_left_on(cards[i], holds[i], rules));
    } else {
      continue;
    }
    ++best.cards;
    best.in_one_node = std::max(best.in_one_node, ++node_open);
    const bool last = i + 1 == cards.size() || cards[i + 1].node != node;
    if (last && node_open == node_cards) ++best.whole_nodes;
  }
  return best;
}

bool exceeds(const CardAsk& ask, const BestRoom& room) {
  if (ask.cards > room.cards) return true;
  if (ask.cards <= room.node_size && ask.cards > room.in_one_node) return true;
  // A gang larger than a node takes whole ones.
  if (ask.cards > room.node_size && ask.cards / room.node_size > room.whole_nodes) return true;
  if (room.alone_bytes > 0 && ask.vram_bytes <= room.alone_bytes) return false;
  return !room.shared() || ask.whole || ask.vram_bytes > room.vram_bytes ||
         ask.share_percent > room.share_percent;
}

bool could_ever_fit(const Card& card, const Needs& needs) {
  return card.managed && matches(card, needs.cards) &&
         grant_on(card, needs).vram_bytes <= card.capacity_bytes();
}

}  // namespace gpusched
