// The line to the daemon: one connection for all threads, kept open between calls, which take
// turns. No call waits for anything but the daemon's answer, so turns are short.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "client/client.h"
#include "scheduler/open_socket.h"

namespace gpusched::library {

// How long the daemon may be silent.
inline constexpr std::chrono::milliseconds kDaemonPatience{30'000};

struct DaemonAnswer {
  int status = 0;
  std::string body;
};

// A lock that is waited for with an end. Not std::timed_mutex: ThreadSanitizer does not see how
// that one is taken.
class LineTurn {
 public:
  // False: it is still another's.
  bool take(std::chrono::milliseconds patience);
  void give();

 private:
  std::mutex mutex_;
  std::condition_variable given_;
  bool taken_ = false;
};

class DaemonLine {
 public:
  explicit DaemonLine(std::vector<std::string> sockets) : sockets_(std::move(sockets)) {}

  // An error: nobody heard the question, or nobody can say whether it was heard.
  Result<DaemonAnswer> call(Request request);
  // True if a daemon takes connections now.
  bool answers();
  // In the child of a fork, whose parent this is of.
  void abandon() const { open_.close_copy(); }

 private:
  Result<DaemonAnswer> call_in_turn(const Request& request);
  Result<void> connect();
  void hang_up();

  const std::vector<std::string> sockets_;
  LineTurn turn_;
  std::optional<Exchange> exchange_;
  OpenSocket open_;
};

}  // namespace gpusched::library
