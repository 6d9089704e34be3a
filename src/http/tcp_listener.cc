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

bool switch_on(int socket, int level, int option) {
  const int on = 1;
  return ::setsockopt(socket, level, option, &on, sizeof on) == 0;
}

}  // namespace

Result<Fd> listen_on_tcp(const TcpAddress& address) {
  const int family = address.address.ss_family;
  const auto fault = [&](const char* doing) {
    return failure(ErrorCode::kIo,
                   fmt::format("{} {}: {}", doing, address.text(), std::strerror(errno)));
  };
  Fd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (!fd) return fault("make a socket for");
  // A daemon that was just restarted gets its address back. IPv4 has a listener of its own, if any.
  if (!switch_on(fd.get(), SOL_SOCKET, SO_REUSEADDR) ||
      (family == AF_INET6 && !switch_on(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY))) {
    return fault("prepare a socket for");
  }
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.address), address.size) != 0 ||
      ::listen(fd.get(), kTcpBacklog) != 0) {
    return fault("listen on");
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
