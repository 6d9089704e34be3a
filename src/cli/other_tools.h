// Words of other queues, and what they are called here: for people whose fingers know another tool.
#pragma once

#include <string_view>

namespace gpusched::cli {

// What to write instead of a verb of another tool; empty: unknown.
std::string_view verb_here(std::string_view elsewhere);
// A sentence about a flag of another tool; empty: unknown.
std::string_view flag_here(std::string_view elsewhere);

}  // namespace gpusched::cli
