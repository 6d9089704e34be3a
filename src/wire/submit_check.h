// What must be true of one submission before anybody looks at the state of the world.
#pragma once

#include <optional>
#include <string>

#include "wire/submit_body.h"

namespace gpusched {

// The first fault, as a sentence that begins with the field's name.
std::optional<std::string> fault_of(const SubmitBody& body);

}  // namespace gpusched
