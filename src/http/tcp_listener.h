// Listens on an address of TCP, and says who is at the other end of a connection from there: an
// address, and no account.
#pragma once

#include <optional>

#include "base/result.h"
#include "http/types.h"
#include "os/fd.h"
#include "os/tcp_address.h"

namespace gpusched {

// `shares_port`: as bind_tcp says.
Result<Fd> listen_on_tcp(const TcpAddress& address, bool shares_port = false);
// Nullopt: it has gone.
std::optional<Peer> network_peer_of(int socket);
// Under which its connections are counted. Somebody with one IPv6 address has 2^64 of them.
std::string counted_address(const Peer& peer);

}  // namespace gpusched
