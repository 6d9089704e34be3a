// A connection on which the daemon tells lines for as long as it is open.
#pragma once

#include <string>
#include <vector>

#include "scheduler/daemon_socket.h"

namespace gpusched::library {

class DaemonStream {
 public:
  static Result<DaemonStream> open(const std::vector<std::string>& sockets,
                                   const std::string& target);

  // Those that have come, perhaps none, after at most so long. An error: the stream is over.
  Result<std::vector<std::string>> lines(std::chrono::milliseconds patience);
  int fd() const { return fd_.get(); }

 private:
  explicit DaemonStream(Fd fd) : fd_(std::move(fd)) {}
  Result<void> decode();
  Result<std::vector<std::string>> take_lines();

  Fd fd_;
  std::string received_;    // As it came, in chunks.
  std::string text_;        // Without them; ends in the middle of a line.
  std::uint64_t left_ = 0;  // Of the chunk, with the line end behind it.
};

}  // namespace gpusched::library
