#include "config/values.h"

#include <fmt/format.h>

#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace gpusched {

Result<std::uint64_t> read_size(const std::string& text, std::uint64_t least, std::uint64_t most) {
  const auto bytes = parse_size(text);
  if (!bytes) return failure(bytes.error());
  if (*bytes < least || *bytes > most) {
    return wrong(fmt::format("{} is not from {} to {}", text, exact_size(least), exact_size(most)));
  }
  return *bytes;
}

Result<std::int64_t> read_number(const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  if (!whole_number(text, value)) {
    return wrong(fmt::format("\"{}\" is not a whole number", text));
  }
  if (value < least || value > most) {
    return wrong(fmt::format("{} is not from {} to {}", text, least, most));
  }
  return value;
}

Result<bool> read_switch(const std::string& text) {
  const bool on = text == "on" || text == "true" || text == "yes";
  const bool off = text == "off" || text == "false" || text == "no";
  if (!on && !off) return wrong(fmt::format("\"{}\" is neither on nor off", text));
  return on;
}

Result<MpsUse> read_mps_use(const std::string& text) {
  const auto use = mps_use_named(text);
  if (!use) return wrong(fmt::format("\"{}\" is not off, limits or all", text));
  return *use;
}

std::string exact_size(std::uint64_t bytes) {
  for (const auto& [shift, letter] : {std::pair{40, 'T'}, {30, 'G'}, {20, 'M'}, {10, 'K'}}) {
    const std::uint64_t unit = 1ULL << shift;
    if (bytes > 0 && bytes % unit == 0) return fmt::format("{}{}", bytes / unit, letter);
  }
  return std::to_string(bytes);
}

std::string exact_duration(Seconds duration) {
  const std::int64_t seconds = duration.count();
  for (const auto& [unit, letter] : {std::pair{86400, 'd'}, {3600, 'h'}, {60, 'm'}}) {
    if (seconds > 0 && seconds % unit == 0) return fmt::format("{}{}", seconds / unit, letter);
  }
  return fmt::format("{}s", seconds);
}

std::string switch_word(bool on) { return on ? "on" : "off"; }

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace gpusched
