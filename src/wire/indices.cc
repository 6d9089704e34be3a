#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <unordered_set>

#include "base/text.h"
#include "wire/submit.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kIndexMost = std::numeric_limits<std::uint32_t>::max() - 1;

struct Range {
  std::uint64_t first = 0, last = 0, step = 1;
};

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end == text.data() || number > kIndexMost) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// "5", "0-99", "0-100:10"; nothing may be left over.
std::optional<Range> parse_range(std::string_view text) {
  Range range;
  const std::optional<std::uint64_t> first = take_number(text);
  if (!first) return std::nullopt;
  range.first = range.last = *first;
  if (text.starts_with('-')) {
    text.remove_prefix(1);
    const std::optional<std::uint64_t> last = take_number(text);
    if (!last || *last < range.first) return std::nullopt;
    range.last = *last;
    if (text.starts_with(':')) {
      text.remove_prefix(1);
      const std::optional<std::uint64_t> step = take_number(text);
      if (!step || *step == 0) return std::nullopt;
      range.step = *step;
    }
  }
  if (!text.empty()) return std::nullopt;
  return range;
}

}  // namespace

Result<std::vector<std::uint32_t>> parse_indices(std::string_view text, std::uint64_t most,
                                                 std::string_view field) {
  if (text.empty()) {
    return failure(ErrorCode::kInvalid, fmt::format("{} must not be empty", field));
  }
  std::vector<std::uint32_t> indices;
  for (const std::string_view part : split(text, ',')) {
    const std::optional<Range> range = parse_range(part);
    if (!range) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("{} must be like 0-99, 1,3,5 or 0-100:10, not \"{}\"", field,
                                 text.substr(0, 80)));
    }
    if ((range->last - range->first) / range->step + 1 > most - indices.size()) {
      return failure(ErrorCode::kTooLarge, fmt::format("{} has more than {} entries", field, most));
    }
    for (std::uint64_t i = range->first; i <= range->last; i += range->step) {
      indices.push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::unordered_set<std::uint32_t> seen;
  for (const std::uint32_t index : indices) {
    if (!seen.insert(index).second) {
      return failure(ErrorCode::kInvalid, fmt::format("{} has {} twice", field, index));
    }
  }
  return indices;
}

}  // namespace gpusched
