#include "notifier/plain_text.h"

#include <algorithm>

#include "base/text.h"

namespace gpusched::notifier {
namespace {

constexpr std::string_view kUnknown = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kDots = "\xE2\x80\xA6";     // "…"
constexpr std::string_view kNoWidth = "\xE2\x80\x8B";  // U+200B

bool is_middle(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// The first character, or nothing if the bytes are none.
std::string_view first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const std::string_view one = text.substr(0, size);
  return one.size() == size && is_utf8(one) ? one : std::string_view();
}

// U+2028, U+2029: line ends. U+202A to U+202E, U+2066 to U+2069, U+200E, U+200F: directions.
bool ends_line(std::string_view one) { return one == "\xE2\x80\xA8" || one == "\xE2\x80\xA9"; }
bool turns_direction(std::string_view one) {
  return one.size() == 3 && ((one >= "\xE2\x80\xAA" && one <= "\xE2\x80\xAE") ||
                             (one >= "\xE2\x81\xA6" && one <= "\xE2\x81\xA9") ||
                             one == "\xE2\x80\x8E" || one == "\xE2\x80\x8F");
}
bool is_control(std::string_view one) {
  const auto byte = static_cast<unsigned char>(one[0]);
  return byte < 0x20 || byte == 0x7F ||
         (one.size() == 2 && byte == 0xC2 && static_cast<unsigned char>(one[1]) < 0xA0);
}

std::string clean(std::string_view text, bool keep_lines) {
  std::string out;
  while (!text.empty()) {
    const std::string_view one = first_character(text);
    if (one.empty()) {
      out += kUnknown;
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(one.size());
    if (turns_direction(one)) continue;
    if (keep_lines && one == "\n") {
      out += '\n';
    } else if (is_control(one) || ends_line(one)) {
      out += ' ';
    } else {
      out += one;
    }
  }
  return out;
}

}  // namespace

std::string one_line(std::string_view text) { return clean(text, false); }
std::string clean_lines(std::string_view text) { return clean(text, true); }

std::string cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t size = most < kDots.size() ? 0 : most - kDots.size();
  while (size > 0 && is_middle(text[size])) --size;
  return std::string(text.substr(0, size)) + std::string(most < kDots.size() ? "" : kDots);
}

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string escape_markdown(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (std::string_view("\\`*_[]<>~|#").find(letter) != std::string_view::npos) out += '\\';
    out += letter;
  }
  return out;
}

std::string without_mentions(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    out += letter;
    if (letter == '@') out += kNoWidth;
  }
  return out;
}

std::string escape_entities(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '&') {
      out += "&amp;";
    } else if (letter == '<') {
      out += "&lt;";
    } else if (letter == '>') {
      out += "&gt;";
    } else {
      out += letter;
    }
  }
  return out;
}

}  // namespace gpusched::notifier
