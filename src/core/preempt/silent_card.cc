#include "core/preempt/silent_card.h"

#include <algorithm>

#include "core/admit/admission.h"
#include "core/place/placement.h"
#include "core/state/belief.h"

namespace gpusched {
namespace {

// A look that came late is one of the next; a driver that opens takes a little longer.
constexpr Seconds kPatience{10};

bool may_speak_soon(const CardView& view, Now now) {
  return !view.silent_since || now.boot - *view.silent_since < kPatience;
}

}  // namespace

bool is_silent(const StateView& state, std::size_t card_index) {
  const Card& card = state.cards()[card_index];
  return !card.usable && !card.drained && card.managed &&
         state.view_of(card_index).condition != CardCondition::kGone;
}

bool may_fit_where_it_is_silent(const StateView& state, const Tentative& free, const Job& job,
                                Now now) {
  const Needs needs = needs_now(state, job);
  GrantFor grant(needs);
  std::size_t silent = 0;
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    if (!is_silent(state, i) || !may_speak_soon(state.view_of(i), now)) continue;
    Card card = state.cards()[i];
    card.usable = true;
    if (!matches(card, needs.cards) ||
        !fits_on(card, free.cards[i], grant.on(card), state.rules())) {
      continue;
    }
    if (state.card_reservations().against(job, i, now.wall, now.wall + Seconds{1})) continue;
    ++silent;
  }
  if (silent == 0) return false;
  const auto least = static_cast<std::size_t>(std::max(1, needs.gpus.least));
  return silent + fitting_cards(state, free, needs).size() >= least;
}

}  // namespace gpusched
