#include "cli/submit/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace gpusched::cli {
namespace {

// A decimal as an integer over a power of ten, so that 0:1:0.1 has no rounding errors.
struct Decimal {
  std::int64_t digits = 0;
  int places = 0;
  bool exponent = false;  // Written as 1e-5.
};
constexpr int kPlacesMost = 18;

// Moves the point by what stands after the 'e'; false: that is no number, or too far.
bool move_point(std::string_view text, Decimal& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int by = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), by);
  if (error != std::errc() || end != text.data() + text.size() || by < -kPlacesMost ||
      by > kPlacesMost) {
    return false;
  }
  number.exponent = true;
  number.places -= by;
  for (; number.places < 0; ++number.places) {
    if (__builtin_mul_overflow(number.digits, 10, &number.digits)) return false;
  }
  return number.places <= kPlacesMost;
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view power = e == std::string_view::npos ? "" : text.substr(e + 1);
  if (e != std::string_view::npos && power.empty()) return std::nullopt;
  text = text.substr(0, e);
  Decimal number;
  std::string digits;
  bool point = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '-' && i == 0) {
      digits += c;
    } else if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      digits += c;
      number.places += point ? 1 : 0;
    } else {
      return std::nullopt;
    }
  }
  if (number.places > 9 || digits.size() > 16) return std::nullopt;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number.digits);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (!power.empty() && !move_point(power, number)) return std::nullopt;
  return number;
}

std::optional<std::int64_t> scaled(Decimal number, int places) {
  for (; number.places < places; ++number.places) {
    if (__builtin_mul_overflow(number.digits, 10, &number.digits)) return std::nullopt;
  }
  return number.digits;
}

std::string decimal_text(std::int64_t digits, int places) {
  if (places == 0) return std::to_string(digits);
  std::string text = std::to_string(digits < 0 ? -digits : digits);
  const auto wanted = static_cast<std::size_t>(places) + 1;
  if (text.size() < wanted) text.insert(0, wanted - text.size(), '0');
  text.insert(text.size() - static_cast<std::size_t>(places), ".");
  return digits < 0 ? "-" + text : text;
}

// 15 of 6 places is 1.5e-5.
std::string exponent_text(std::int64_t digits, int places) {
  if (digits == 0) return "0";
  std::string text = std::to_string(digits < 0 ? -digits : digits);
  int power = static_cast<int>(text.size()) - 1 - places;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.size() > 1) text.insert(1, ".");
  if (power != 0) text += "e" + std::to_string(power);
  return digits < 0 ? "-" + text : text;
}

// Cuts at unescaped `mark`; backslashes stay in the pieces.
std::vector<std::string_view> split_unescaped(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == mark) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string without_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size() &&
                        std::string_view(",:\\").find(text[i + 1]) != std::string_view::npos;
    out += escape ? text[++i] : text[i];
  }
  return out;
}

struct Steps {
  std::int64_t first = 0, last = 0, step = 1;
  int places = 0;
  bool exponent = false;
};

// "1:5", "0:1:0.1" or "1e-5:1e-4:1e-5"; nothing if the piece is not a range of numbers.
Result<std::optional<Steps>> parse_steps(std::string_view piece) {
  const std::vector<std::string_view> parts = split_unescaped(piece, ':');
  if (parts.size() != 2 && parts.size() != 3) return std::optional<Steps>();
  std::vector<Decimal> numbers;
  Steps steps;
  for (const std::string_view part : parts) {
    const std::optional<Decimal> number = parse_decimal(part);
    if (!number) return std::optional<Steps>();
    numbers.push_back(*number);
    steps.places = std::max(steps.places, number->places);
    steps.exponent = steps.exponent || number->exponent;
  }
  const auto first = scaled(numbers[0], steps.places);
  const auto last = scaled(numbers[1], steps.places);
  const auto step = scaled(parts.size() == 3 ? numbers[2] : Decimal{1, 0}, steps.places);
  if (!first || !last || !step) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("the range {} has more digits than can be counted exactly", piece));
  }
  steps.first = *first;
  steps.last = *last;
  steps.step = *step;
  return std::optional(steps);
}

Result<void> append_steps(const std::string& name, std::string_view piece, const Steps& steps,
                          std::vector<std::string>& values) {
  if (steps.step == 0) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("the step of {}={} is 0; it must be larger", name, piece));
  }
  std::int64_t span = 0;
  const bool overflow = __builtin_sub_overflow(steps.last, steps.first, &span);
  if (steps.last != steps.first && (steps.last > steps.first) != (steps.step > 0)) {
    return failure(
        ErrorCode::kInvalid,
        fmt::format("the range {}={} is empty: its step leads away from its end", name, piece));
  }
  const std::int64_t count = overflow ? 0 : span / steps.step;
  if (overflow || count >= static_cast<std::int64_t>(kSweepTasksMost)) {
    return failure(ErrorCode::kTooLarge, fmt::format("the range {}={} has more than {} values",
                                                     name, piece, kSweepTasksMost));
  }
  for (std::int64_t i = 0; i <= count; ++i) {
    const std::int64_t digits = steps.first + i * steps.step;
    values.push_back(steps.exponent ? exponent_text(digits, steps.places)
                                    : decimal_text(digits, steps.places));
  }
  return {};
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

}  // namespace

Result<Parameter> parse_parameter(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (equals == std::string_view::npos || !is_name(name)) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("cannot read '{}'; write NAME=VALUE,VALUE or NAME=1:5", text));
  }
  Parameter parameter{std::string(name), {}};
  for (const std::string_view piece : split_unescaped(text.substr(equals + 1), ',')) {
    const auto steps = parse_steps(piece);
    if (!steps) return failure(steps.error());
    if (*steps) {
      if (auto added = append_steps(parameter.name, piece, **steps, parameter.values); !added) {
        return failure(added.error());
      }
    } else {
      parameter.values.push_back(without_escapes(piece));
    }
  }
  if (parameter.values.size() == 1 && parameter.values[0].empty()) {
    return failure(ErrorCode::kInvalid, fmt::format("'{}' has no values", text));
  }
  return parameter;
}

Result<std::vector<SweepTask>> cross_product(const std::vector<Parameter>& parameters) {
  std::size_t total = 1;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (parameters[k].name == parameters[i].name) {
        return failure(ErrorCode::kInvalid,
                       fmt::format("the parameter {} is given twice", parameters[i].name));
      }
    }
    if (parameters[i].values.empty()) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("the parameter {} has no values", parameters[i].name));
    }
    total *= parameters[i].values.size();
    if (total > kSweepTasksMost) {
      return failure(
          ErrorCode::kTooLarge,
          fmt::format("the sweep has more than {} jobs; cut it into several", kSweepTasksMost));
    }
  }
  std::vector<SweepTask> tasks(total);
  for (std::size_t i = 0; i < total; ++i) {
    std::size_t rest = i;
    tasks[i].resize(parameters.size());
    for (std::size_t k = parameters.size(); k-- > 0;) {
      const Parameter& parameter = parameters[k];
      tasks[i][k] = {parameter.name, parameter.values[rest % parameter.values.size()]};
      rest /= parameter.values.size();
    }
  }
  return tasks;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") != std::string_view::npos) lines.emplace_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

Result<ArrayFlag> parse_array(std::string_view text) {
  const auto bad = [text] {
    return failure(ErrorCode::kInvalid,
                   fmt::format("cannot read the array '{}'; write 0-99, 1,3,5, 0-100:10 or 0-99%4 "
                               "(at most 4 at once)",
                               text));
  };
  ArrayFlag array;
  const std::size_t percent = text.find('%');
  array.indices = text.substr(0, percent);
  if (percent != std::string_view::npos) {
    const std::string_view limit = text.substr(percent + 1);
    const auto [end, error] =
        std::from_chars(limit.data(), limit.data() + limit.size(), array.limit);
    if (error != std::errc() || end != limit.data() + limit.size() || array.limit < 1) return bad();
  }
  if (array.indices.empty()) {
    return failure(ErrorCode::kInvalid, "the array is empty; write 0-99 or 1,3,5");
  }
  bool digit_before = false;
  for (const char c : array.indices) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (!digit_before || std::string_view(",-:").find(c) == std::string_view::npos)) {
      return bad();
    }
    digit_before = digit;
  }
  if (!digit_before) return bad();
  return array;
}

}  // namespace gpusched::cli
