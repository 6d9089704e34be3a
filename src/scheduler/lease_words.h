// What the library says to the daemon of leases, and what the daemon says of them (docs/api.md,
// "Leases").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/json_value.h"
#include "scheduler/backend.h"
#include "scheduler/daemon_line.h"

namespace gpusched::library {

// The body of POST /v1/leases.
std::string body_of(const std::vector<Wish>& wishes, const std::string& application);

// The answer's JSON; an answer that is an error is that fault.
Reply<JsonValue> value_of(const Result<DaemonAnswer>& answer);
// The entries of its "leases".
std::vector<const JsonValue*> leases_in(const JsonValue& value);
std::uint64_t number_in(const JsonValue& value, std::string_view name);

// Of one lease; one that has ended is a fault.
Reply<Standing> standing_in(const JsonValue& lease);
Reply<Standing> standing_of_answer(const Result<DaemonAnswer>& answer);
// Of a line of GET /v1/leases/changes.
Reply<Standing> standing_of_line(const std::string& line);
std::optional<std::uint64_t> lease_of_line(const std::string& line);

}  // namespace gpusched::library
