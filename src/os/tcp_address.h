// An address and a port in numbers: "127.0.0.1:7340", "[::1]:7340". Names are not looked up: what a
// daemon listens on must not depend on somebody else's answer.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace gpusched {

struct TcpAddress {
  sockaddr_storage address{};
  socklen_t size = 0;

  bool is_loopback() const;  // Only this machine can reach it.
  int port() const;
  std::string text() const;  // As it is read; equal addresses have equal texts.
  std::string host() const;  // Without the port.
};

Result<TcpAddress> parse_tcp_address(std::string_view text);
// Of the other end of a socket, or of its own. Without size: it is not one of TCP's.
TcpAddress remote_address(int socket);
TcpAddress own_address(int socket);

}  // namespace gpusched
