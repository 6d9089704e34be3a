// The one shape in which a request is refused.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gpusched {

// {"error":{"code":…,"message":…}}
std::string error_json(const Error& error);
// The error that such an answer means; one without a code is that of its HTTP status.
Error read_error(std::string_view body, int status);

}  // namespace gpusched
