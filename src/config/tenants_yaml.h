// From the map below `tenants` to rules. What contradicts itself is refused here, with the place,
// because at the daemon's start nobody would see it.
#pragma once

#include "base/result.h"
#include "config/card_rules_yaml.h"
#include "core/model/tenant.h"

namespace gpusched {

// REQUIRES: `map` is a map.
Result<ConfiguredTenants> read_tenants(const YAML::Node& map, const WrongAt& wrong_at);

}  // namespace gpusched
