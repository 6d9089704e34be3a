#include "base/base64.h"

#include <cstddef>

namespace gpusched {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr unsigned kSix = 63;
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three <<= 8U;
      if (i + k < bytes.size()) three |= static_cast<unsigned char>(bytes[i + k]);
    }
    out += kLetters[three >> 18U & kSix];
    out += kLetters[three >> 12U & kSix];
    out += i + 1 < bytes.size() ? kLetters[three >> 6U & kSix] : '=';
    out += i + 2 < bytes.size() ? kLetters[three & kSix] : '=';
  }
  return out;
}

}  // namespace gpusched
