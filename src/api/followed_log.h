// One log of an event stream: a job's output, from attempt to attempt, one piece at a time. Files
// are opened and read on a worker thread; growth is told by inotify.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/context.h"
#include "os/fd.h"

namespace gpusched {

// How far somebody has read. Attempt 0: from the last part of the newest one on.
struct LogPlace {
  JobId job{};
  int attempt = 0;
  std::uint64_t offset = 0;
};
// "7.1.4096", or "7" for one that begins; in topics and in ids of events.
Result<LogPlace> parse_log_place(std::string_view text);
std::string text_of(const LogPlace& place);

class FollowedLog : public std::enable_shared_from_this<FollowedLog> {
 public:
  // `wake` is told when there is a piece. REQUIRES: the log may be read.
  FollowedLog(Context& context, LogPlace from, std::function<void()> wake);
  void start();

  bool has_piece() const { return !ready_.empty(); }
  // As the data of an event; place() is behind it then. REQUIRES: has_piece().
  std::string take_piece();
  const LogPlace& place() const { return place_; }

 private:
  struct Opened {
    std::shared_ptr<Fd> file;
    std::uint64_t offset = 0;
  };
  const Job* job() const { return context_.state().find(place_.job); }
  bool attempt_over() const;
  void something_changed();
  void begin();
  void open(const Job& now);
  void take_file(const Result<Opened>& opened, bool was_over);
  void read();
  void take_bytes(std::string bytes, std::uint64_t next, bool was_over);
  void next_attempt();

  Context& context_;
  LogPlace place_;
  std::function<void()> wake_;
  std::shared_ptr<JobWatch::Watcher> watcher_;
  LogWatch::Token token_;
  std::shared_ptr<Fd> file_;
  std::uint32_t owner_ = 0;  // Whose file it is: a place that hangs is theirs.
  std::string ready_;
  std::uint64_t next_ = 0;  // Behind what is ready.
  bool busy_ = false;       // The worker is opening or reading for us.
  bool changed_ = false;    // Something happened since it was last asked.
  bool failed_ = false;
};

}  // namespace gpusched
