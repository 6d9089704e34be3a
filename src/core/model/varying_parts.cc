#include "core/model/varying_parts.h"

#include <algorithm>

namespace gpusched {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_digit(c) || is_letter(c); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::size_t digits_from(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end;
}

// Where the number that begins at `at` ends: 12, 0.5, 1e-4. `at` itself: there is none, or it is
// part of a name such as 7b.
std::size_t number_from(std::string_view text, std::size_t at) {
  std::size_t end = digits_from(text, at);
  if (end == at) return at;
  if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
    end = digits_from(text, end + 1);
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
    if (const std::size_t stop = digits_from(text, exponent); stop > exponent) end = stop;
  }
  return end < text.size() && is_letter(text[end]) ? at : end;
}

// Hashes, ids of runs and what mkdtemp() makes.
bool is_random(std::string_view word) {
  constexpr std::size_t kHashLeast = 8;
  constexpr std::string_view kTemporary = "tmp";
  if (word.size() < kHashLeast) return false;
  const bool digits = std::ranges::any_of(word, is_digit);
  return (digits && std::ranges::all_of(word, is_hex)) ||
         (word.starts_with(kTemporary) && word.size() > kHashLeast);
}

// Dates, versions and lists of numbers are one thing that varies.
void put_mark(std::string& out) {
  constexpr std::string_view kBetween = "-_.:,T";
  if (out.size() >= 2 && out[out.size() - 2] == '#' && kBetween.find(out.back()) != kBetween.npos) {
    out.pop_back();
    return;
  }
  if (out.empty() || out.back() != '#') out += '#';
}

}  // namespace

std::string without_varying_parts(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      out += text[at++];
      continue;
    }
    if (const std::size_t end = number_from(text, at); end > at) {
      put_mark(out);
      at = end;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (is_random(word)) {
      put_mark(out);
    } else {
      out += word;
    }
    at = end;
  }
  return out;
}

}  // namespace gpusched
