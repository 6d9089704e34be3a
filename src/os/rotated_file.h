// A file that is only appended to, and moved aside when it grows too large: FILE becomes FILE.1,
// FILE.1 becomes FILE.2, and so on; the oldest goes. Not safe for several threads by itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

namespace gpusched {

class RotatedFile {
 public:
  // `most_bytes` 0: never rotated; `keep` old files are kept.
  static Result<RotatedFile> open(std::string path, std::uint64_t most_bytes, int keep);

  // All of `bytes`, in one file, or false. What was written of a failed line stays.
  bool write(std::string_view bytes);
  Result<void> reopen();

 private:
  RotatedFile(std::string path, std::uint64_t most_bytes, int keep)
      : path_(std::move(path)), most_bytes_(most_bytes), keep_(keep) {}
  void rotate();

  std::string path_;
  std::uint64_t most_bytes_;
  int keep_;
  Fd fd_;
  std::uint64_t size_ = 0;
};

}  // namespace gpusched
