#include "base/words.h"

namespace gpusched {

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
