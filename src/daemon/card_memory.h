// The numbers of cards that were seen once, kept in `cards.json` of the state directory, so that
// they outlive a reboot. A file that cannot be read costs the numbers and nothing else.
#pragma once

#include <string>

#include "base/result.h"
#include "core/model/card_numbers.h"

namespace gpusched {

// No file: nothing is known yet.
Result<KnownCards> read_card_memory(const std::string& state_directory);
Result<void> write_card_memory(const std::string& state_directory, const KnownCards& known);

}  // namespace gpusched
