// One connection: reads requests, lets the handler answer, writes. Internal to the server.
#pragma once

#include <memory>

#include "http/session_ports.h"
#include "os/fd.h"
#include "tls/context.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

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
// The way it came by is closed: what lasts is cut off, what is short is finished.
void end_http_session(HttpSession& session, const Error& why);

}  // namespace gpusched
