// SHA-256 (FIPS 180-4), small and our own: names environments by content and tells a repeated
// submission from another one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpusched {

class Sha256 {
 public:
  void add(std::string_view bytes);
  // Adds the length, then the bytes, so that ("ab","c") and ("a","bc") differ.
  void add_counted(std::string_view bytes);
  // Lower-case hex. The object is spent afterwards.
  std::string hex();

 private:
  void add_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> partial_{};
  std::uint64_t length_ = 0;
};

}  // namespace gpusched
