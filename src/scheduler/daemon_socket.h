// HTTP/1.1 on the daemon's Unix socket, as far as a client needs it: connect, ask, read the head of
// the answer. What the answers mean is not known here.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace gpusched::library {

// How long the daemon may be silent.
inline constexpr std::chrono::milliseconds kDaemonPatience{30'000};

Result<Fd> connect_to_daemon(const std::vector<std::string>& sockets);

struct DaemonQuestion {
  std::string_view method;
  std::string_view target;
  std::string_view body = {};
};
Result<void> send_question(int fd, const DaemonQuestion& question);

struct AnswerHead {
  int status = 0;
  std::uint64_t length = 0;
  bool chunked = false;
  bool closes = false;  // The connection ends with this answer.
};
// What came after the head is left in `buffer`.
Result<AnswerHead> read_head(int fd, std::string& buffer, std::chrono::milliseconds patience);
Result<void> read_body(int fd, std::string& buffer, std::uint64_t length,
                       std::chrono::milliseconds patience);
// False: nothing came for so long.
Result<bool> receive_some(int fd, std::string& buffer, std::chrono::milliseconds patience);

std::string url_encoded(std::string_view text);

// Which socket is open, for the child of a fork: it closes its copy without a lock, and only if
// the number still means that socket.
class OpenSocket {
 public:
  void set(int fd);  // -1: none.
  void close_copy() const;

 private:
  std::atomic<int> fd_{-1};
  std::atomic<std::uint64_t> inode_{0};
};

}  // namespace gpusched::library
