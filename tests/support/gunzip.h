// For tests: what a client makes of an answer that came compressed.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <string>

namespace gpusched::testing {

// Ends where the last whole piece ends; `whole` is set if that is the end of all.
inline std::string gunzip(std::string coded, bool* whole = nullptr) {
  z_stream zlib{};
  EXPECT_EQ(::inflateInit2(&zlib, 15 + 16), Z_OK);
  zlib.next_in = reinterpret_cast<Bytef*>(coded.data());
  zlib.avail_in = static_cast<uInt>(coded.size());
  std::string out;
  int said = Z_OK;
  while (said == Z_OK) {
    std::array<char, 4096> room{};
    zlib.next_out = reinterpret_cast<Bytef*>(room.data());
    zlib.avail_out = static_cast<uInt>(room.size());
    said = ::inflate(&zlib, Z_SYNC_FLUSH);
    out.append(room.data(), room.size() - zlib.avail_out);
  }
  if (whole != nullptr) *whole = said == Z_STREAM_END && zlib.avail_in == 0;
  ::inflateEnd(&zlib);
  return out;
}

}  // namespace gpusched::testing
