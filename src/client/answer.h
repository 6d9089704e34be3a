// An HTTP/1.1 answer while it arrives: bytes in; status, headers and body out. Pure; where the
// bytes come from is not known here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace gpusched {

class HttpAnswer {
 public:
  // Where bytes that have arrived are appended.
  std::string& arrived() { return buffer_; }
  // False: the head has not arrived completely.
  Result<bool> read_head();
  int status() const { return status_; }
  // Empty if there is none. REQUIRES: `name` in lower case.
  std::string header(std::string_view name) const;
  // What has arrived of the body since the last call.
  Result<std::string> take_body();
  // Nothing more arrives.
  Result<void> close();
  // The body is complete.
  bool ended() const { return ended_; }
  // Another answer may follow this one.
  bool followed() const;

 private:
  enum class Framing : unsigned char { kLength, kChunked, kUntilClose };
  enum class ChunkPart : unsigned char { kSize, kData, kDataEnd, kTrailer };
  Result<void> read_framing();
  Result<bool> take_chunk_line();
  void take(std::string& out);

  int status_ = 0;
  std::vector<std::pair<std::string, std::string>> headers_;
  std::string buffer_;
  Framing framing_ = Framing::kUntilClose;
  std::uint64_t left_ = 0;  // Of the body or of the chunk.
  ChunkPart part_ = ChunkPart::kSize;
  bool ended_ = false;
};

}  // namespace gpusched
