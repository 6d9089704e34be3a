// The body of POST /v1/reservations from flags, for `reserve` and for `drain --from`.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/flags.h"

namespace gpusched::cli {

enum class ReserveFor { kSomebody, kMaintenance };
// For maintenance the cards are the operands.
Result<std::string> reserve_body(const Arguments& arguments, ReserveFor whom);

}  // namespace gpusched::cli
