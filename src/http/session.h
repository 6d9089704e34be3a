// One connection: reads requests, lets the handler answer, writes. Internal to the server.
#pragma once

#include <functional>
#include <memory>

#include "http/background.h"
#include "http/limits.h"
#include "http/types.h"
#include "os/fd.h"
#include "tls/context.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

// What a session needs from its server.
struct SessionPorts {
  HttpLimits limits;
  HttpHandler handler;
  // Asks for memory for a body before it is read; what was granted is given back as negative.
  std::function<bool(std::uint32_t account, std::int64_t bytes)> reserve_body;
  BodyMost body_most;
  std::function<void(const HttpSession*)> closed;
  // Runs it when it is that account's turn on the loop.
  std::function<void(std::uint32_t account, std::function<void()> work)> give_turn;
  std::shared_ptr<Background> coders;  // For compressing.
};

// Who has connected.
struct Connected {
  Fd socket;
  Peer peer;
  std::uint32_t account = 0;                   // Under which it is counted what this one costs.
  std::shared_ptr<const TlsContext> tls = {};  // Null: it is not spoken.
};

std::shared_ptr<HttpSession> start_http_session(boost::asio::io_context& loop, Connected connected,
                                                std::shared_ptr<const SessionPorts> ports);
void close_http_session(HttpSession& session);

}  // namespace gpusched
