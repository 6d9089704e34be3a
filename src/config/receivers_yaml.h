// From the map below `receivers` to values, and back to text. Secrets are named by files: one that
// stands in the file itself is refused. What contradicts itself is refused with the place.
#pragma once

#include <string>

#include "base/result.h"
#include "config/card_rules_yaml.h"
#include "core/model/receiver.h"

namespace gpusched {

// REQUIRES: `map` is a map.
Result<Receivers> read_receivers(const YAML::Node& map, const WrongAt& wrong_at);
// As it stands behind `receivers:`, each line behind `indent`; "{}" without any. Names of files
// only: what is in them is in no Receiver.
std::string receivers_text(const Receivers& receivers, std::string_view indent);

}  // namespace gpusched
