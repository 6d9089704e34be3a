// A column of whole numbers in few bytes: differences to the number before, each as long as it
// needs to be, and runs of equal numbers as one. What does not change costs next to nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::history {

void append_column(std::string& out, const std::vector<std::int64_t>& column);
// Takes a column of `size` numbers from the front of `bytes`; absent if they are not one.
std::optional<std::vector<std::int64_t>> take_column(std::string_view& bytes, std::size_t size);

}  // namespace gpusched::history
