// Where the next page of a list begins, in a form that clients hand back and do not read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/types.h"

namespace gpusched {

std::string sealed_cursor(std::string_view place);
// Nothing: no daemon has made it.
std::optional<std::string> opened_cursor(std::string_view cursor);

// `Link: </v1/jobs?…&cursor=…>; rel="next"`: the same request for the next page.
std::pair<std::string, std::string> next_link(const HttpRequest& request,
                                              const std::string& cursor);

}  // namespace gpusched
