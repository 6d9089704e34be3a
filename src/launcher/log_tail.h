// The end of what a command wrote, for one question: did it run out of GPU memory? Programs say so
// in words and end with an exit code that means nothing, so the words of the well-known libraries
// are looked for in the last part of the log, and only in what this attempt has written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "os/fd.h"

namespace gpusched {

bool tells_of_gpu_memory(std::string_view text);

class LogTail {
 public:
  // A file that can be read; what is before `from` belongs to others.
  LogTail(Fd file, std::uint64_t from) : file_(std::move(file)), from_(from) {}
  // Without owning it; the whole file is this attempt's.
  static std::string read(int file, std::uint64_t from);
  std::string read() const { return file_ ? read(file_.get(), from_) : std::string(); }

 private:
  Fd file_;
  std::uint64_t from_ = 0;
};

}  // namespace gpusched
