// Files that the user names: read whole, or written so that a crash leaves either nothing or all.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace gpusched::cli {

inline constexpr std::size_t kInputFileMost = 256U << 20U;

// "-" is standard input. More than `most` bytes is an error.
Result<std::string> read_input(const std::string& path, std::size_t most = kInputFileMost);
// The first bytes of a regular file; an error if it is none or cannot be read.
Result<std::string> read_head(const std::string& path, std::size_t most);

// Writes into a temporary neighbour; keep() makes it `path`, which must not exist before.
class NewFile {
 public:
  static Result<NewFile> create(const std::string& path);
  NewFile(NewFile&&) = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();
  Result<void> write(std::string_view data);
  Result<void> keep();

 private:
  NewFile(std::string path, std::string temporary, Fd fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(std::move(fd)) {}
  std::string path_;
  std::string temporary_;
  Fd fd_;
};

}  // namespace gpusched::cli
