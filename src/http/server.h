// HTTP/1.1 on listening sockets: connections, limits, keep-alive, streams. Knows nothing of jobs.
// A slow, silent or greedy client costs one bounded place and nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/limits.h"
#include "http/types.h"
#include "os/fd.h"
#include "os/tcp_address.h"
#include "tls/context.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

class LoopTurns;

// Who is at the other end of a connection. Nullopt: it is not served.
using WhoConnected = std::function<std::optional<Peer>(int socket)>;

class HttpServer {
 public:
  // Without `body_most` every body may have HttpLimits::body_bytes; never more.
  // REQUIRES: `turns` outlives the server.
  HttpServer(boost::asio::io_context& loop, LoopTurns& turns, HttpLimits limits,
             HttpHandler handler, BodyMost body_most = {});
  ~HttpServer();

  // Begins to accept. Takes the descriptor over.
  void serve(Fd listener, WhoConnected who);
  // Goes on with another listener: clients that are served stay.
  void replace_listener(Fd listener);
  // Listens at these addresses of TCP and at no others, with TLS if `tls` is there; that holds for
  // new connections. An error changes nothing, and an address that stays wanted is served all the
  // time, also where a new one covers it. Who came by an address that is no longer there is let
  // finish what is short; streams and long waits are cut off. Says where it listens now: port 0
  // has become a real one. REQUIRES: serve() came first.
  Result<std::vector<TcpAddress>> serve_network(const std::vector<TcpAddress>& addresses,
                                                std::shared_ptr<const TlsContext> tls);
  // Whether serve_network() would get these addresses now. Changes nothing.
  Result<void> check_network(const std::vector<TcpAddress>& addresses);
  // No new clients; answers under way are broken off.
  void stop();
  int clients() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace gpusched
