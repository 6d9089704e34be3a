// The request target taken apart: "/v1/jobs/7-9/log?follow=1&tail=100". Pure, so that it can be
// tested and fuzzed by itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpusched {

struct HttpTarget {
  std::vector<std::string> segments;         // Percent-decoded.
  std::map<std::string, std::string> query;  // Percent-decoded; '+' is a space.
};

// A name given twice, a broken percent escape, or no leading slash is kInvalid.
Result<HttpTarget> parse_target(std::string_view target);
// The other way round.
std::string target_text(const HttpTarget& target);
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);

}  // namespace gpusched
