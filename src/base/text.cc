#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

namespace gpusched {
namespace {

constexpr std::uint64_t kKiB = 1ULL << 10;
// Longer than any job or setting, short enough that microseconds never overflow.
constexpr std::int64_t kLongestSeconds = 100LL * 366 * 24 * 3600;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes leading digits off `text`; empty if there are none or they do not fit.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  std::size_t used = 0;
  while (used < text.size() && is_digit(text[used])) {
    const auto digit = static_cast<std::uint64_t>(text[used] - '0');
    if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
    ++used;
  }
  if (used == 0) return std::nullopt;
  text.remove_prefix(used);
  return value;
}

// The factor of a size's suffix, "" to "TiB"; empty if it is none.
std::optional<std::uint64_t> unit_of(std::string_view suffix) {
  if (suffix.empty()) return 1;
  const std::string lower = lower_case(suffix);
  if (lower == "b") return 1;
  const std::string_view rest = std::string_view(lower).substr(1);
  if (!rest.empty() && rest != "b" && rest != "ib") return std::nullopt;
  switch (lower.front()) {
    case 'k':
      return kKiB;
    case 'm':
      return kKiB * kKiB;
    case 'g':
      return kKiB * kKiB * kKiB;
    case 't':
      return kKiB * kKiB * kKiB * kKiB;
    default:
      return std::nullopt;
  }
}

tl::unexpected<Error> not_a_size(std::string_view text) {
  return failure(ErrorCode::kInvalid,
                 fmt::format("\"{}\" is not a size (examples: 24G, 1.5G, 512M, 800)", text));
}

tl::unexpected<Error> not_a_duration(std::string_view text) {
  return failure(
      ErrorCode::kInvalid,
      fmt::format("\"{}\" is not a duration (examples: 90, 90s, 15m, 1h30m, 2d, 01:30:00)", text));
}

// "HH:MM:SS" or "MM:SS".
std::optional<std::uint64_t> clock_seconds(std::string_view text) {
  std::vector<std::uint64_t> parts;
  while (true) {
    const auto number = take_number(text);
    if (!number || *number > 1'000'000) return std::nullopt;
    parts.push_back(*number);
    if (text.empty()) break;
    if (text.front() != ':') return std::nullopt;
    text.remove_prefix(1);
  }
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  std::uint64_t seconds = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] > 59) return std::nullopt;
    seconds = seconds * 60 + parts[i];
  }
  return seconds;
}

// "1-00:00:00", "1-12:30", "1-12": days, then hours first, as Slurm writes it.
std::optional<std::uint64_t> day_seconds(std::string_view text) {
  const auto days = take_number(text);
  if (!days || *days > 1'000'000 || text.empty() || text.front() != '-') return std::nullopt;
  std::uint64_t seconds = 0;
  std::uint64_t unit = 3600;
  do {
    text.remove_prefix(1);
    const auto number = take_number(text);
    if (!number || unit == 0 || *number > (unit == 3600 ? 23U : 59U)) return std::nullopt;
    seconds += *number * unit;
    unit /= 60;
  } while (!text.empty() && text.front() == ':');
  return text.empty() ? std::optional(*days * 86400 + seconds) : std::nullopt;
}

// "1h30m", "1h 30m", "90"; units may not repeat or grow.
std::optional<std::uint64_t> unit_seconds(std::string_view text) {
  std::uint64_t total = 0;
  std::uint64_t last_unit = std::numeric_limits<std::uint64_t>::max();
  while (!text.empty()) {
    const auto number = take_number(text);
    if (!number || *number > static_cast<std::uint64_t>(kLongestSeconds)) return std::nullopt;
    std::uint64_t unit = 1;
    if (!text.empty()) {
      switch (text.front()) {
        case 's':
          unit = 1;
          break;
        case 'm':
          unit = 60;
          break;
        case 'h':
          unit = 3600;
          break;
        case 'd':
          unit = 86400;
          break;
        case 'w':
          unit = 7 * 86400;
          break;
        default:
          return std::nullopt;
      }
      text.remove_prefix(1);
    } else if (last_unit != std::numeric_limits<std::uint64_t>::max()) {
      return std::nullopt;  // "1h30": minutes or seconds? Say so.
    }
    if (unit >= last_unit) return std::nullopt;
    last_unit = unit;
    total += *number * unit;
    text = trimmed(text);
  }
  return total;
}

// Edits to turn `a` into `b`, a swap of neighbours counting as one.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return taken;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> split_nonempty(std::string_view text, char separator) {
  std::vector<std::string_view> pieces = split(text, separator);
  std::erase_if(pieces, [](std::string_view piece) { return piece.empty(); });
  return pieces;
}

Result<std::uint64_t> parse_size(std::string_view text) {
  std::string_view rest = trimmed(text);
  const auto whole = take_number(rest);
  if (!whole) return not_a_size(text);
  std::uint64_t fraction = 0;
  std::uint64_t scale = 1;
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    if (rest.empty() || !is_digit(rest.front())) return not_a_size(text);
    while (!rest.empty() && is_digit(rest.front())) {
      // More digits than this say nothing about a byte count.
      if (scale < 1'000'000) {
        fraction = fraction * 10 + static_cast<std::uint64_t>(rest.front() - '0');
        scale *= 10;
      }
      rest.remove_prefix(1);
    }
  }
  const auto unit = unit_of(trimmed(rest));
  if (!unit) return not_a_size(text);
  if (scale > 1 && *unit == 1) return not_a_size(text);
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (*whole > kMost / *unit - 1) {
    return failure(ErrorCode::kInvalid, fmt::format("\"{}\" is too large a size", text));
  }
  return *whole * *unit + fraction * *unit / scale;
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  std::uint64_t factor = 1;
  while (unit + 1 < kUnits.size() && bytes / factor >= kKiB) {
    factor *= kKiB;
    ++unit;
  }
  const double value = static_cast<double>(bytes) / static_cast<double>(factor);
  return unit >= 3 ? fmt::format("{:.1f} {}", value, kUnits[unit])
                   : fmt::format("{:.0f} {}", value, kUnits[unit]);
}

Result<Seconds> parse_duration(std::string_view text) {
  const std::string_view body = trimmed(text);
  if (body.empty()) return not_a_duration(text);
  const bool days = body.find('-') != std::string_view::npos;
  const bool clock = body.find(':') != std::string_view::npos;
  const auto seconds = days ? day_seconds(body) : clock ? clock_seconds(body) : unit_seconds(body);
  if (!seconds) return not_a_duration(text);
  if (*seconds > static_cast<std::uint64_t>(kLongestSeconds)) {
    return failure(ErrorCode::kInvalid, fmt::format("\"{}\" is longer than a century", text));
  }
  return Seconds{static_cast<std::int64_t>(*seconds)};
}

std::string format_duration(Microseconds duration) {
  if (duration < Microseconds{0}) return "-" + format_duration(-duration);
  const auto seconds = std::chrono::duration_cast<Seconds>(duration).count();
  struct Unit {
    std::int64_t seconds;
    char letter;
  };
  constexpr std::array kUnits = {Unit{86400, 'd'}, Unit{3600, 'h'}, Unit{60, 'm'}, Unit{1, 's'}};
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    if (seconds < kUnits[i].seconds) continue;
    std::string text = fmt::format("{}{}", seconds / kUnits[i].seconds, kUnits[i].letter);
    if (i + 1 < kUnits.size()) {
      const auto smaller = seconds % kUnits[i].seconds / kUnits[i + 1].seconds;
      if (smaller > 0) text += fmt::format(" {}{}", smaller, kUnits[i + 1].letter);
    }
    return text;
  }
  return "0s";
}

std::string clipped(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

bool is_utf8(std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    if (first < 0x80) {
      ++i;
      continue;
    }
    std::size_t length = 0;
    std::uint32_t point = 0;
    std::uint32_t least = 0;
    if (first >= 0xC2 && first <= 0xDF) {
      length = 2, point = first & 0x1FU, least = 0x80;
    } else if (first >= 0xE0 && first <= 0xEF) {
      length = 3, point = first & 0x0FU, least = 0x800;
    } else if (first >= 0xF0 && first <= 0xF4) {
      length = 4, point = first & 0x07U, least = 0x10000;
    } else {
      return false;
    }
    if (bytes.size() - i < length) return false;
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(bytes[i + k]);
      if ((next & 0xC0U) != 0x80U) return false;
      point = (point << 6) | (next & 0x3FU);
    }
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (point < least || point > 0x10FFFF || surrogate) return false;
    i += length;
  }
  return true;
}

std::string nearest_word(std::string_view word, const std::string_view* candidates, std::size_t n) {
  std::string_view best;
  std::size_t best_distance = 3;
  for (std::size_t i = 0; i < n; ++i) {
    // Words of very different length are not alike, and comparing them could take long.
    const std::string_view other = candidates[i];
    const std::size_t apart =
        word.size() > other.size() ? word.size() - other.size() : other.size() - word.size();
    if (apart >= best_distance) continue;
    const std::size_t distance = edit_distance(word, other);
    // Two edits of a three-letter word make any other word of three letters.
    const bool alike = distance * 2 <= std::max(word.size(), candidates[i].size());
    if (alike && distance < best_distance) {
      best = candidates[i];
      best_distance = distance;
    }
  }
  return std::string(best);
}

}  // namespace gpusched
