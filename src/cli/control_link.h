// The way to a job's supervisor: its control socket, or, for a daemon on the network, a connection
// that the daemon carries on to it (docs/adr/0106). Sending never waits for a supervisor that does
// not read: what it does not take yet is kept, and goes when there is room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "client/client.h"
#include "jobdir/control_client.h"
#include "jobdir/control_protocol.h"

namespace gpusched::cli {

// Which supervisor. REQUIRES: the client lives as long.
struct AttemptPlace {
  const Client& client;
  std::uint64_t job = 0;
  int attempt = 0;
  std::string directory;  // Of the attempt; over the network it is only somewhere there.

  bool afar() const { return client.on_network(); }
};

class ControlLink {
 public:
  // kNotFound: the supervisor is not there yet, or no more. kUnavailable: nor is the daemon.
  static Result<ControlLink> connect(const AttemptPlace& place);

  Result<void> send(const ControlMessage& message);
  // Some of what was sent is still here; send_more() once fd() takes more.
  bool sending() const { return !outgoing_.empty(); }
  Result<void> send_more();
  // The next message; none: it has not come as a whole yet. kUnavailable: none will. REQUIRES:
  // has_message(), or fd() is readable.
  Result<std::optional<ControlMessage>> receive();
  // One has come already: poll() would not tell of it.
  bool has_message() const { return afar_ && whole_packet().has_value(); }
  // Sends one request and waits for Done; a refusal is an error.
  Result<void> ask(const ControlMessage& request);
  int fd() const { return afar_ ? afar_->fd() : here_->fd(); }
  bool afar() const { return afar_.has_value(); }
  // From afar: how long the daemon has said nothing, not even that it is there.
  bool too_silent() const;

 private:
  ControlLink() = default;
  std::optional<std::size_t> whole_packet() const;  // Its size.
  Result<void> receive_bytes(std::chrono::milliseconds most);

  // One of these.
  std::optional<ControlClient> here_;
  std::optional<Exchange> afar_;
  std::string outgoing_, incoming_;
  Boot heard_{};
};

}  // namespace gpusched::cli
