// Keeps a log within its limit while the job goes on writing to it: the first quarter and the most
// recent output stay, what lies between is punched out of the file, and a line at the start of the
// hole says how much. Offsets never change. Driven by activity: one notification, one
// look, then deaf for a second; an idle job costs nothing, and a job of less than a second not even
// the notification (whose end takes the kernel milliseconds).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "os/fd.h"

namespace gpusched {

// Where a log of `size` bytes is to be cut.
struct LogCut {
  std::uint64_t hole_begin = 0;
  std::uint64_t hole_end = 0;
  friend bool operator==(const LogCut&, const LogCut&) = default;
};
// None while what is left of it is within its limit. A cut makes room for a while.
std::optional<LogCut> plan_cut(std::uint64_t size, std::uint64_t limit, std::uint64_t hole_end);
// Fixed in length, so that a later one overwrites it; ends the line before and itself.
inline constexpr std::size_t kMarkerSize = 80;
std::string removal_marker(std::uint64_t removed);

class LogTrim {
 public:
  // Trims the file `log` in that directory, which must outlive this. REQUIRES: limit > 0.
  LogTrim(int directory, std::uint64_t limit, Boot now);

  // For poll(): becomes readable when the log has grown; -1: nothing to wait for.
  int fd() const { return armed_ ? inotify_.get() : -1; }
  void on_readable(Boot now);
  // When to look again without being told.
  std::optional<Boot> next() const { return look_at_; }
  void on_time(Boot now);
  // The job is over: what it wrote since the last look counts, too.
  void finish();

 private:
  bool open();
  void arm(Boot now);
  void trim();

  int directory_;
  Fd log_;  // Not for appending: the marker goes where it belongs.
  Fd inotify_;
  std::uint64_t limit_;
  std::uint64_t hole_end_ = 0;
  bool armed_ = false;
  bool cannot_punch_ = false;
  std::optional<Boot> look_at_;
};

}  // namespace gpusched
