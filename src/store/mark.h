// What the store has acknowledged, remembered outside of the database. SQLite cuts a log with one
// flipped bit without a word, and a copy that was put back looks like any other database: only
// somebody else can tell that commits are missing.
//
// Rule: written after a commit is on disk, so that it is never ahead of a healthy database. It is
// not waited for; after a power cut it may be a little behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

namespace gpusched {

inline constexpr const char* kMarkName = "store.mark";

struct StoreMark {
  std::uint64_t commits = 0;
  std::uint64_t next_job = 1;
  std::uint64_t next_submission = 1;
  std::uint64_t next_trail = 1;
  friend bool operator==(const StoreMark&, const StoreMark&) = default;
};

// One line with a check sum. Nullopt: cut off, changed, or not ours.
std::string mark_to_text(const StoreMark& mark);
std::optional<StoreMark> mark_from_text(std::string_view text);

class MarkFile {
 public:
  // Makes it (0600) if it is not there.
  static Result<MarkFile> open(const std::string& directory);
  // As it was found; nullopt: there was none, or none that can be read.
  const std::optional<StoreMark>& found() const { return found_; }
  // Failing leaves the older one, which is as true as before.
  void write(const StoreMark& mark);
  void sync();

 private:
  Fd file_;
  std::optional<StoreMark> found_;
  int slot_ = 0;  // Two places by turns: a torn write costs one of them.
  unsigned writes_ = 0;
};

}  // namespace gpusched
