// From the list below `gpus.cards` to rules. What contradicts itself is refused here, with the
// place, because at the daemon's start nobody would see it.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "core/model/card_rules.h"

namespace YAML {
class Node;
struct Mark;
}  // namespace YAML

namespace gpusched {

// An error with its place in front.
using WrongAt = std::function<tl::unexpected<Error>(const YAML::Mark&, const std::string&)>;

// REQUIRES: `list` is a sequence.
Result<CardRules> read_card_rules(const YAML::Node& list, const WrongAt& wrong_at);

}  // namespace gpusched
