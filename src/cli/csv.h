// Comma-separated values as RFC 4180 has them, but with "\n" after each line.
#pragma once

#include <string>
#include <vector>

namespace gpusched::cli {

std::string csv_line(const std::vector<std::string>& fields);

}  // namespace gpusched::cli
