#include "json/json_writer.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

namespace gpusched {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Bytes that go through as they are: printable ASCII but for the quote and the backslash.
constexpr std::array<bool, 256> plain_bytes() {
  std::array<bool, 256> plain{};
  for (unsigned c = 0x20; c < 0x7f; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = plain_bytes();

// Length of the well-formed UTF-8 sequence that begins `bytes`, or 0. Surrogates, overlong forms
// and what lies past U+10FFFF are not well-formed.
std::size_t utf8_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto continues = [&](std::size_t i) { return i < bytes.size() && (at(i) & 0xc0) == 0x80; };
  const unsigned char lead = at(0);
  if (lead >= 0xc2 && lead <= 0xdf) return continues(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (!continues(1) || !continues(2)) return 0;
    if (lead == 0xe0 && at(1) < 0xa0) return 0;
    if (lead == 0xed && at(1) > 0x9f) return 0;
    return 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (lead == 0xf0 && at(1) < 0x90) return 0;
    if (lead == 0xf4 && at(1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

void append_escape(std::string& out, char prefix_high, char prefix_low, unsigned char low_byte) {
  const char escape[] = {
      '\\', 'u', prefix_high, prefix_low, kHex[low_byte >> 4], kHex[low_byte & 15]};
  out.append(escape, sizeof escape);
}

void append_ascii(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      append_escape(out, '0', '0', c);
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view bytes) {
  out += '"';
  std::size_t from = 0;  // Start of the stretch that can be copied as it is.
  for (std::size_t i = 0; i < bytes.size();) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (kPlain[c]) {
      ++i;
      continue;
    }
    if (c >= 0x80) {
      if (const std::size_t length = utf8_length(bytes.substr(i))) {
        i += length;
        continue;
      }
    }
    out.append(bytes, from, i - from);
    if (c < 0x80) {
      append_ascii(out, c);
    } else {
      append_escape(out, 'd', 'c', c);
    }
    from = ++i;
  }
  out.append(bytes, from, bytes.size() - from);
  out += '"';
}

void append_json_time(std::string& out, Wall time) {
  using std::chrono::floor;
  const auto since = floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto days = floor<std::chrono::days>(since);
  const std::chrono::year_month_day date{std::chrono::sys_days{days}};
  auto left = static_cast<unsigned>((since - days).count());
  char text[] = "0000-00-00T00:00:00.000Z";
  const auto put = [&text](std::size_t at, std::size_t digits, unsigned number) {
    for (std::size_t i = digits; i-- > 0; number /= 10) {
      text[at + i] = static_cast<char>('0' + number % 10);
    }
  };
  put(0, 4, static_cast<unsigned>(std::max(0, static_cast<int>(date.year()))));
  put(5, 2, static_cast<unsigned>(date.month()));
  put(8, 2, static_cast<unsigned>(date.day()));
  put(20, 3, left % 1000);
  left /= 1000;
  put(17, 2, left % 60);
  put(14, 2, left / 60 % 60);
  put(11, 2, left / 3600);
  out.append(text, sizeof text - 1);
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return raw({digits, static_cast<std::size_t>(end - digits)});
}

JsonWriter& JsonWriter::integer(std::uint64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return raw({digits, static_cast<std::size_t>(end - digits)});
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return raw({digits, static_cast<std::size_t>(end - digits)});
}

}  // namespace gpusched
