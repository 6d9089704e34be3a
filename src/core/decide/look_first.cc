#include "core/decide/look_first.h"

#include <algorithm>

namespace gpusched {
namespace {

bool is_fresh(const StateView& state, CardNumber card, Now now) {
  const auto position = state.index_of(card);
  if (!position) return true;  // Nothing starts there anyway.
  const CardView& view = state.view_of(*position);
  return view.condition == CardCondition::kUnseen ||
         now.boot - view.at.boot <= AskedLooks::kFresh ||
         state.seen().looks.answered(card, now.boot);
}

}  // namespace

bool has_been_looked_at(const StateView& state, const Grant& grant, Now now) {
  return std::ranges::all_of(
      grant.cards, [&](const CardGrant& held) { return is_fresh(state, held.card, now); });
}

std::vector<CardNumber> ask_for_looks(State& state, const Grant& grant, Now now) {
  std::vector<CardNumber> cards;
  for (const CardGrant& held : grant.cards) {
    if (is_fresh(state, held.card, now)) continue;
    if (state.seen().looks.ask(held.card, now.boot)) cards.push_back(held.card);
  }
  return cards;
}

}  // namespace gpusched
