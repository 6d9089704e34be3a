// Cards and what is held on them, as JSON.
#pragma once

#include <cstdint>
#include <optional>

#include "core/state/state_view.h"
#include "json/json_writer.h"
#include "watch/board.h"

namespace gpusched {

// `board`: what was said of them last; null: nobody looks. `viewer`: of other users' processes only
// the program is shown; absent: all.
void write_cards(JsonWriter& json, const StateView& state, const watch::CardBoard* board,
                 std::optional<std::uint32_t> viewer = {});

}  // namespace gpusched
