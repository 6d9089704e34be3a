#include "watch/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "base/text.h"

namespace gpusched::watch {
namespace {

std::optional<std::uint64_t> integer(std::string_view text, int base) {
  std::uint64_t value = 0;
  return gpusched::whole_number(text, value, base) ? std::optional(value) : std::nullopt;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
  return integer(trimmed(text), 10);
}

std::optional<int> process_number(std::string_view text) {
  const auto number = whole_number(text);
  if (!number || *number == 0 || *number > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<std::uint64_t> hex_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return integer(text, 16);
}

// By hand: from_chars for floating point is missing on some systems, strtod follows the locale.
std::optional<double> decimal_number(std::string_view text) {
  text = trimmed(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  double exponent = 0;
  bool digits = false;
  bool fraction = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (is_digit(text[at])) {
      value = value * 10 + (text[at] - '0');
      if (fraction) exponent -= 1;
      digits = true;
    } else if (text[at] == '.' && !fraction) {
      fraction = true;
    } else {
      break;
    }
  }
  if (!digits) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    std::string_view power = text.substr(at + 1);
    const bool down = power.starts_with('-');
    if (down || power.starts_with('+')) power.remove_prefix(1);
    const auto size = integer(power, 10);
    if (!size || *size > 400) return std::nullopt;
    exponent += down ? -static_cast<double>(*size) : static_cast<double>(*size);
  }
  value *= std::pow(10.0, exponent);
  if (!std::isfinite(value)) return std::nullopt;
  return negative ? -value : value;
}

std::optional<double> percentage(std::string_view text) {
  const auto value = decimal_number(text);
  if (!value || *value < 0 || *value > 100) return std::nullopt;
  return value;
}

double percent_of(double part, double whole) {
  if (!(whole > 0)) return 0;
  return std::clamp(100 * part / whole, 0.0, 100.0);
}

std::optional<std::uint64_t> scaled(std::optional<std::uint64_t> part, std::uint64_t unit) {
  if (!part || *part > std::numeric_limits<std::uint64_t>::max() / unit) return std::nullopt;
  return *part * unit;
}

}  // namespace gpusched::watch
