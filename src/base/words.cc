#include "base/words.h"

#include <algorithm>

namespace gpusched {

namespace {

bool plain_word(std::string_view word) {
  static constexpr std::string_view kPlain = "_-+=./:,@%";
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text += '\'';
}

std::string shell_word(std::string_view word) {
  return plain_word(word) ? std::string(word) : shell_quoted(word);
}

std::string counted(std::uint64_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string gib_text(std::uint64_t bytes) {
  const std::uint64_t tenths =
      (bytes >> 30) * 10 + ((bytes & ((1ULL << 30) - 1)) * 10 + (1ULL << 29)) / (1ULL << 30);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GiB";
}

std::string mib_text(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

std::string rounded_size(std::uint64_t bytes) {
  if (bytes < 1ULL << 30) return mib_text(bytes + (1ULL << 19));
  std::string text = gib_text(bytes);
  if (const std::size_t even = text.find(".0 "); even != std::string::npos) text.erase(even, 2);
  return text;
}

}  // namespace gpusched
