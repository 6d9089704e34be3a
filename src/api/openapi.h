// The API described as OpenAPI 3.1, made from the table of routes and the lists of fields of
// messages: what the daemon runs is what is described. docs/openapi.json is the same text.
#pragma once

#include <string>

namespace gpusched {

// Made once, at the first call.
const std::string& openapi_text();

}  // namespace gpusched
