// Cards and what is held on them, as JSON.
#pragma once

#include "core/state.h"
#include "json/json_writer.h"
#include "watch/board.h"

namespace gpusched {

// `board`: what was said of them last; null: nobody looks.
void write_cards(JsonWriter& json, const State& state, const watch::CardBoard* board);

}  // namespace gpusched
