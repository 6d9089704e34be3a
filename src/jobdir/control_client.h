// One connection to a shim's control socket, blocking; for the command line and for tests.
// Knows no event loop and links nothing beyond the C++ library.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "core/model/ids.h"
#include "jobdir/control_protocol.h"
#include "os/fd.h"

namespace gpusched {

// Connects to the `control` socket in that directory, whatever the length of its path.
// kNotFound: nobody listens there, yet or any more.
Result<Fd> connect_control(const std::string& attempt_directory, bool blocking);

class ControlClient {
 public:
  static Result<ControlClient> connect(const std::string& attempt_directory);

  Result<void> send(const ControlMessage& message);
  // Blocks. kUnavailable: the shim is gone.
  Result<ControlMessage> receive();
  // Sends one request and waits for Done; a refusal is an error.
  Result<void> ask(const ControlMessage& request);
  // For poll(): readable when receive() will not block.
  int fd() const { return socket_.get(); }

 private:
  explicit ControlClient(Fd socket) : socket_(std::move(socket)) {}
  Fd socket_;
};

}  // namespace gpusched
