// Cards and what is held on them, as JSON.
#pragma once

#include <functional>

#include "core/access/rights.h"
#include "core/state/state_view.h"
#include "json/json_writer.h"
#include "watch/board.h"

namespace gpusched {

// `board`: what was said of them last; null: nobody looks. `shows`: whether the arguments of a
// user's processes are shown; else only the program is.
void write_cards(JsonWriter& json, const StateView& state, const watch::CardBoard* board,
                 const std::function<bool(const Subject& owner)>& shows = {});

}  // namespace gpusched
