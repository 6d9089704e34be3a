#include "cli/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace gpusched::cli {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};
// Not the whole of Unicode: the blocks that occur in names, paths and messages.
constexpr std::array kZeroWidth = {Range{0x0300, 0x036F}, Range{0x200B, 0x200F},
                                   Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F},
                                   Range{0xFE20, 0xFE2F}};
constexpr std::array kDoubleWidth = {
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
    Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE4F},
    Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
    Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};
// Characters that reorder or end lines: as dangerous in a table as a control byte.
constexpr std::array kUnsafe = {Range{0x0000, 0x001F}, Range{0x007F, 0x009F}, Range{0x2028, 0x202E},
                                Range{0x2066, 0x2069}};

template <std::size_t N>
bool in(const std::array<Range, N>& ranges, std::uint32_t code) {
  return std::ranges::any_of(ranges,
                             [code](const Range& r) { return code >= r.first && code <= r.last; });
}

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool is_continuation(std::string_view text, std::size_t i) {
  return i < text.size() && (byte_at(text, i) & 0xC0U) == 0x80U;
}

// Number of bytes of the well-formed UTF-8 sequence at the front, 0 if there is none.
std::size_t utf8_sequence_length(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const unsigned first = byte_at(bytes, 0);
  if (first < 0x80U) return 1;
  if (first >= 0xC2U && first <= 0xDFU) return is_continuation(bytes, 1) ? 2 : 0;
  if (first >= 0xE0U && first <= 0xEFU) {
    if (!is_continuation(bytes, 1) || !is_continuation(bytes, 2)) return 0;
    const unsigned second = byte_at(bytes, 1);
    if (first == 0xE0U && second < 0xA0U) return 0;   // Too long for its value.
    if (first == 0xEDU && second >= 0xA0U) return 0;  // A surrogate.
    return 3;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    for (std::size_t i = 1; i <= 3; ++i) {
      if (!is_continuation(bytes, i)) return 0;
    }
    const unsigned second = byte_at(bytes, 1);
    if (first == 0xF0U && second < 0x90U) return 0;
    if (first == 0xF4U && second >= 0x90U) return 0;  // Past U+10FFFF.
    return 4;
  }
  return 0;
}

// REQUIRES: `length` is that of the well-formed sequence at the front.
std::uint32_t decode(std::string_view bytes, std::size_t length) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
  };
  if (length == 1) return byte(0);
  std::uint32_t code = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = (code << 6U) | (byte(i) & 0x3FU);
  return code;
}

std::size_t width_of(std::uint32_t code) {
  if (code < 0x300) return 1;
  if (in(kZeroWidth, code)) return 0;
  return in(kDoubleWidth, code) ? 2 : 1;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    const std::uint32_t code = decode(text, length);
    if (code == '\n') {
      out += "\\n";
    } else if (code == '\t') {
      out += "\\t";
    } else if (code == '\r') {
      out += "\\r";
    } else if (in(kUnsafe, code)) {
      out += code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_sequence_length(text), 1);
    width += width_of(decode(text, length));
    text.remove_prefix(length);
  }
  return width;
}

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_sequence_length(text), 1);
    const std::size_t next = width_of(decode(text, length));
    if (used + next > width - 1) break;
    out.append(text.substr(0, length));
    used += next;
    text.remove_prefix(length);
  }
  return out + "…";
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  if (width == 0) return std::string(text);
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    const std::size_t word_width = display_width(word);
    if (column > indent && column + 1 + word_width > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out.append(word);
    column += word_width;
    if (space == std::string_view::npos) break;
    text.remove_prefix(space + 1);
  }
  return out;
}

std::string styled(std::string_view text, Style style, bool colour) {
  if (!colour || style == Style::kPlain || text.empty()) return std::string(text);
  std::string_view code;
  switch (style) {
    case Style::kPlain:
      break;
    case Style::kBold:
      code = "1";
      break;
    case Style::kDim:
      code = "2";
      break;
    case Style::kRed:
      code = "31";
      break;
    case Style::kGreen:
      code = "32";
      break;
    case Style::kYellow:
      code = "33";
      break;
    case Style::kCyan:
      code = "36";
      break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace gpusched::cli
