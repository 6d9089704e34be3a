// What is known of real models, so that a scenario need not say it.
#pragma once

#include <string>
#include <string_view>

#include "simdriver/world_layout.h"

namespace gpusched::simdriver {

// Facts of the model whose name contains a known word (H200, H100, A100, 4090, …), else those of a
// plain card. No memory, no UUID: those belong to the scenario.
CardFacts preset_of(std::string_view model);

// A UUID in NVIDIA's form that follows from `seed` and the card's number.
void set_uuid(CardFacts& facts, std::string_view seed, std::size_t number);
// False: this is not a UUID of the form GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.
bool set_uuid_text(CardFacts& facts, std::string_view uuid);
void set_model(CardFacts& facts, std::string_view model);
void set_place(CardFacts& facts, std::size_t number);

}  // namespace gpusched::simdriver
