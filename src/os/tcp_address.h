// An address and a port in numbers: "127.0.0.1:7340", "[::1]:7340". Names are not looked up: what a
// daemon listens on must not depend on somebody else's answer.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

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
// "localhost", or an address of loopback in numbers (IPv6 without brackets). No other name counts,
// whatever it is looked up to today, and none that only begins like an address.
bool is_loopback_host(std::string_view host);
// A socket that has the address and does not listen yet. With `shares_port` it may have one that
// overlaps with another's (0.0.0.0 and 127.0.0.1), as long as both sockets say so.
Result<Fd> bind_tcp(const TcpAddress& address, bool shares_port = false);
// False: the kernel cannot.
bool set_shares_port(int socket, bool shares);
// Of the other end of a socket, or of its own. Without size: it is not one of TCP's.
TcpAddress remote_address(int socket);
TcpAddress own_address(int socket);

}  // namespace gpusched
