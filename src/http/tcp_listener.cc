#include "http/tcp_listener.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace gpusched {
namespace {

constexpr int kTcpBacklog = 512;

}  // namespace

Result<Fd> listen_on_tcp(const TcpAddress& address, bool shares_port) {
  Result<Fd> fd = bind_tcp(address, shares_port);
  if (fd && ::listen(fd->get(), kTcpBacklog) != 0) {
    return failure(ErrorCode::kIo,
                   fmt::format("listen on {}: {}", address.text(), std::strerror(errno)));
  }
  return fd;
}

std::optional<Peer> network_peer_of(int socket) {
  const TcpAddress from = remote_address(socket);
  if (from.size == 0) return std::nullopt;
  return Peer{.uid = UINT32_MAX,
              .gid = UINT32_MAX,
              .network = true,
              .address = from.host(),
              .reached = own_address(socket).host()};
}

std::string counted_address(const Peer& peer) {
  constexpr std::size_t kOfTheNetwork = 8;  // Bytes.
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  if (::inet_pton(AF_INET6, peer.address.c_str(), bytes.data()) != 1) return peer.address;
  std::fill(bytes.begin() + kOfTheNetwork, bytes.end(), 0);
  std::array<char, INET6_ADDRSTRLEN> out{};
  const char* text = ::inet_ntop(AF_INET6, bytes.data(), out.data(), out.size());
  return text == nullptr ? peer.address : std::string(text) + "/64";
}

}  // namespace gpusched
