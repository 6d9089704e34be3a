#include "os/tcp_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/number.h"
#include "base/text.h"

namespace gpusched {
namespace {

const sockaddr_in& v4_of(const TcpAddress& from) {
  return reinterpret_cast<const sockaddr_in&>(from.address);
}
const sockaddr_in6& v6_of(const TcpAddress& from) {
  return reinterpret_cast<const sockaddr_in6&>(from.address);
}

TcpAddress ask(int socket, int (*question)(int, sockaddr*, socklen_t*)) {
  TcpAddress found;
  found.size = sizeof found.address;
  if (question(socket, reinterpret_cast<sockaddr*>(&found.address), &found.size) != 0 ||
      (found.address.ss_family != AF_INET && found.address.ss_family != AF_INET6)) {
    found = {};
  }
  return found;
}

tl::unexpected<Error> not_one(std::string_view text) {
  return failure(ErrorCode::kInvalid,
                 fmt::format("\"{}\" is not an address and a port in numbers, such as "
                             "127.0.0.1:7340 or [::1]:7340",
                             text));
}

bool set_option(int socket, int level, int option, int value) {
  return ::setsockopt(socket, level, option, &value, sizeof value) == 0;
}

}  // namespace

bool set_shares_port(int socket, bool shares) {
  return set_option(socket, SOL_SOCKET, SO_REUSEPORT, shares ? 1 : 0);
}

Result<Fd> bind_tcp(const TcpAddress& address, bool shares_port) {
  const int family = address.address.ss_family;
  const auto fault = [&](const char* doing) {
    return failure(ErrorCode::kIo,
                   fmt::format("{} {}: {}", doing, address.text(), std::strerror(errno)));
  };
  Fd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (!fd) return fault("make a socket for");
  // A daemon that was just restarted gets its address back. IPv4 has a listener of its own, if any.
  if (!set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1) ||
      (family == AF_INET6 && !set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1)) ||
      (shares_port && !set_shares_port(fd.get(), true))) {
    return fault("prepare a socket for");
  }
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.address), address.size) != 0) {
    return fault("listen on");
  }
  return fd;
}

bool is_loopback_host(std::string_view host) {
  if (lower_case(host) == "localhost") return true;
  const bool v6 = host.find(':') != std::string_view::npos;
  const auto address =
      parse_tcp_address(fmt::format("{}{}{}:1", v6 ? "[" : "", host, v6 ? "]" : ""));
  return address && address->is_loopback();
}

bool TcpAddress::is_loopback() const {
  constexpr std::uint32_t kLoopbackNet = 127;
  if (address.ss_family == AF_INET) {
    return (::ntohl(v4_of(*this).sin_addr.s_addr) >> 24U) == kLoopbackNet;
  }
  return address.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6_of(*this).sin6_addr);
}

int TcpAddress::port() const {
  return ::ntohs(address.ss_family == AF_INET ? v4_of(*this).sin_port : v6_of(*this).sin6_port);
}

std::string TcpAddress::host() const {
  std::array<char, INET6_ADDRSTRLEN> out{};
  const bool v4 = address.ss_family == AF_INET;
  const void* bytes = v4 ? static_cast<const void*>(&v4_of(*this).sin_addr)
                         : static_cast<const void*>(&v6_of(*this).sin6_addr);
  const char* text = ::inet_ntop(address.ss_family, bytes, out.data(), out.size());
  return text == nullptr ? "" : text;
}

std::string TcpAddress::text() const {
  const bool v4 = address.ss_family == AF_INET;
  return v4 ? fmt::format("{}:{}", host(), port()) : fmt::format("[{}]:{}", host(), port());
}

Result<TcpAddress> parse_tcp_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::uint16_t port = 0;
  if (colon == std::string_view::npos || !whole_number(text.substr(colon + 1), port)) {
    return not_one(text);
  }
  std::string host(text.substr(0, colon));
  const bool v6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (v6) host = host.substr(1, host.size() - 2);
  TcpAddress parsed;
  if (v6) {
    auto& address = reinterpret_cast<sockaddr_in6&>(parsed.address);
    address.sin6_family = AF_INET6;
    address.sin6_port = ::htons(port);
    parsed.size = sizeof address;
    if (::inet_pton(AF_INET6, host.c_str(), &address.sin6_addr) != 1) return not_one(text);
  } else {
    auto& address = reinterpret_cast<sockaddr_in&>(parsed.address);
    address.sin_family = AF_INET;
    address.sin_port = ::htons(port);
    parsed.size = sizeof address;
    if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) return not_one(text);
  }
  return parsed;
}

TcpAddress remote_address(int socket) {
  return ask(socket,
             [](int fd, sockaddr* to, socklen_t* size) { return ::getpeername(fd, to, size); });
}
TcpAddress own_address(int socket) {
  return ask(socket,
             [](int fd, sockaddr* to, socklen_t* size) { return ::getsockname(fd, to, size); });
}

}  // namespace gpusched
