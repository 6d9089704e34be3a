// The HTTP API of docs/api.md, as the daemon sees it: give it the engine and a few functions, let
// it listen, tell it when a turn is over. Nothing of HTTP or JSON shows here.
//
// Rule: answers show only what is on disk. While a commit is under way, reads wait for
// after_turn().
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/ports.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/engine.h"
#include "os/fd.h"
#include "os/tcp_address.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

class TlsContext;

class Api {
 public:
  // Becomes the engine's on_change listener.
  Api(boost::asio::io_context& loop, Engine& engine, ApiPorts ports, ApiLimits limits);
  ~Api();

  // Listens on a new socket at `path`, or on one inherited from systemd (then `path` is not used).
  Result<void> listen(const std::string& path, mode_t mode);
  void serve(Fd listener);
  // Somebody may have removed the socket's file: makes it again where its place is free. True: it
  // was made. Clients that are served notice nothing.
  Result<bool> renew_socket();

  // Listens at these addresses of TCP and at no others (http/server.h). REQUIRES: listen() or
  // serve() came first.
  Result<std::vector<TcpAddress>> listen_on_network(const std::vector<TcpAddress>& addresses,
                                                    std::shared_ptr<const TlsContext> tls);
  // Whether that would do now. Changes nothing.
  Result<void> check_network(const std::vector<TcpAddress>& addresses);

  // Those that are asked with each request; what the server was made with stays.
  void change_limits(const ApiLimits& limits);
  // No commit is under way: answers what has waited for that.
  void after_turn();
  // Breaks off all connections and removes the socket's file.
  void stop();
  int clients() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpusched
