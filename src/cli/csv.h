// Comma-separated values as RFC 4180 has them, but with "\n" after each line. Fields come from
// other users: control characters are written as \x1b and the like, so that no terminal obeys them.
// A newline stays, in quotes.
#pragma once

#include <string>
#include <vector>

namespace gpusched::cli {

std::string csv_line(const std::vector<std::string>& fields);

}  // namespace gpusched::cli
