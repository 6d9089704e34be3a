// From the map below `roles` to who has which role, and back.
#pragma once

#include <string>

#include "base/result.h"
#include "config/card_rules_yaml.h"
#include "core/access/roles.h"

namespace gpusched {

// REQUIRES: `map` is a map.
Result<RoleBook> read_roles(const YAML::Node& map, const WrongAt& wrong_at);
// The map as it stands behind `roles:`.
std::string roles_text(const RoleBook& roles);

}  // namespace gpusched
