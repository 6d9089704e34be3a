// Cards and what is held on them, as JSON.
#pragma once

#include "core/state.h"
#include "json/json_writer.h"

namespace gpusched {

void write_cards(JsonWriter& json, const State& state);

}  // namespace gpusched
