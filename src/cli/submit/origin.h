// Where a value came from that was not typed: a refusal that a file with defaults is the cause of
// names the file and the key, because the user sees neither on the command line.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"

namespace gpusched::cli {

// With the places of those that the message names: by flag, by key, or by value.
Error with_origin(Error error, std::span<const FlagValue> defaults);

}  // namespace gpusched::cli
