// The one shape in which a request is refused.
#pragma once

#include <string>

#include "base/result.h"

namespace gpusched {

// {"error":{"code":…,"message":…}}
std::string error_json(const Error& error);

}  // namespace gpusched
