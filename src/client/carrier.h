// The bytes between a client and the daemon, whatever carries them: a socket of this machine, or a
// program that reaches another one (ssh, gpusched-tls). All that speaks HTTP stands above this
// class and knows no sockets. Every wait has an end.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/child_process.h"
#include "os/fd.h"
#include "os/tcp_address.h"

namespace gpusched {

class Carrier {
 public:
  using Milliseconds = std::chrono::milliseconds;  // As patience: negative is for ever.

  explicit Carrier(Fd fd, ChildProcess child = {}) : child_(std::move(child)), fd_(std::move(fd)) {}
  // Of the first of these sockets where a daemon answers; the error says how to start one.
  static Result<Carrier> connect(const std::vector<std::string>& sockets);
  // Of an address of TCP on this machine.
  static Result<Carrier> connect(const TcpAddress& address);

  Result<void> send(std::string_view data, Milliseconds patience);
  // As much of it as is taken without waiting, perhaps nothing. kUnavailable: the other side is
  // gone.
  Result<std::size_t> send_some(std::string_view data);
  enum class Came : unsigned char { kBytes, kNothing, kEnd };
  // Appends what comes next, or says that nothing came for so long.
  Result<Came> receive(std::string& to, Milliseconds patience);
  // False: there is something to receive, if only the end.
  bool quiet() const;
  // To wait for more by poll().
  int fd() const { return fd_.get(); }
  // What carries the bytes, if it is a process.
  ChildProcess& child() { return child_; }

 private:
  ChildProcess child_;
  Fd fd_;                          // Closed before the process is ended.
  std::unique_ptr<char[]> piece_;  // What was received last.
};

}  // namespace gpusched
