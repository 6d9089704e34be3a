// Cards and what is held on them, as answers have them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/access/rights.h"
#include "core/state/state_view.h"
#include "watch/board.h"
#include "wire/messages/card.h"

namespace gpusched {

struct Context;
class Veil;

// `board`: what was said of them last; null: nobody looks. `shows`: whether the arguments of a
// user's processes are shown; else only the program is. `veil`: for whom.
std::vector<wire::Card> cards_of(const StateView& state, const watch::CardBoard* board,
                                 const Veil& veil,
                                 const std::function<bool(const Subject& owner)>& shows = {});

// The answer of GET /v1/gpus for one who asks.
std::string gpus_json(const Context& context, const Principal& actor);

}  // namespace gpusched
