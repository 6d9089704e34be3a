// The TCP connection of one try, with TLS or without. Calls wait, but never past the deadline of
// the whole try: who hangs or sends a byte now and then cannot hold it longer.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "os/fd.h"
#include "tls/session.h"

namespace gpusched::notifier {

struct Endpoint {
  std::string host;
  std::string port;
  bool only_loopback = false;  // What is said is not encrypted.
};

class Connection {
 public:
  // Errors are sentences without the host's name. kForbidden: it is not on this machine.
  static Result<Connection> open(const Endpoint& to, Boot deadline);

  // `authorities`: PEM, or empty for those of the system. `http`: offers HTTP/1.1.
  Result<void> start_tls(const std::string& authorities, bool http);
  bool encrypted() const { return tls_ != nullptr; }

  Result<void> write(std::string_view bytes);
  // Appends what comes next; false: the other side has ended.
  Result<bool> read(std::string& to);
  // Tells the other side that nothing more comes.
  void end();

 private:
  Connection(Fd socket, std::string host, Boot deadline)
      : socket_(std::move(socket)), host_(std::move(host)), deadline_(deadline) {}
  Result<void> wait(short events) const;
  // Goes on once the socket can do what TLS waits for.
  Result<void> wait_for(TlsSession::Said said) const;

  Fd socket_;
  std::string host_;
  Boot deadline_;
  std::unique_ptr<TlsSession> tls_;  // Goes before the socket.
};

}  // namespace gpusched::notifier
