// A text that is a number and nothing else: no sign but a minus, no blanks, no locale.
#pragma once

#include <charconv>
#include <string_view>
#include <type_traits>

namespace gpusched {

// False: it is none, or does not fit. `number` is then of no use.
template <class Number>
bool whole_number(std::string_view text, Number& number, [[maybe_unused]] int base = 10) {
  const char* const end = text.data() + text.size();
  std::from_chars_result read{};
  if constexpr (std::is_floating_point_v<Number>) {
    read = std::from_chars(text.data(), end, number);
  } else {
    read = std::from_chars(text.data(), end, number, base);
  }
  return read.ec == std::errc() && read.ptr == end;
}

}  // namespace gpusched
