#include "client/port_owner.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "base/number.h"
#include "base/text.h"
#include "os/small_file.h"

namespace gpusched {
namespace {

constexpr std::string_view kListening = "0A";
constexpr std::size_t kOfFour = 8;  // Digits of an address.

// As the kernel writes it: each four bytes as one number of this machine.
std::string hex_of(const void* bytes, std::size_t size) {
  std::string text;
  for (std::size_t at = 0; at < size; at += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, static_cast<const char*>(bytes) + at, sizeof word);
    text += fmt::format("{:08X}", word);
  }
  return text;
}

// All ways to write the addresses on which a listener would hear of it.
std::vector<std::string> heard_at(const TcpAddress& address) {
  in6_addr six{};
  std::vector<std::string> texts{hex_of(&six, sizeof six)};
  if (address.address.ss_family == AF_INET6) {
    sockaddr_in6 whole{};
    std::memcpy(&whole, &address.address, sizeof whole);
    texts.push_back(hex_of(&whole.sin6_addr, sizeof whole.sin6_addr));
    return texts;
  }
  sockaddr_in whole{};
  std::memcpy(&whole, &address.address, sizeof whole);
  texts.push_back(std::string(kOfFour, '0'));
  texts.push_back(hex_of(&whole.sin_addr, sizeof whole.sin_addr));
  six.s6_addr[10] = six.s6_addr[11] = 0xFF;
  std::memcpy(&six.s6_addr[12], &whole.sin_addr, sizeof whole.sin_addr);
  texts.push_back(hex_of(&six, sizeof six));
  return texts;
}

}  // namespace

std::vector<uid_t> listeners_in(std::string_view table, const TcpAddress& address) {
  const std::vector<std::string> addresses = heard_at(address);
  const std::string port = fmt::format("{:04X}", address.port());
  std::vector<uid_t> users;
  while (!table.empty()) {
    const auto words = split_nonempty(take_until(table, '\n'), ' ');
    // sl local remote state queues timer retransmits uid …
    if (words.size() < 8 || words[3] != kListening) continue;
    std::string_view local = words[1];
    const std::string_view host = take_until(local, ':');
    uid_t user = 0;
    if (local != port || !whole_number(words[7], user, 10)) continue;
    for (const std::string& one : addresses) {
      if (one == host) users.push_back(user);
    }
  }
  return users;
}

Result<void> check_port_owner(const TcpAddress& address, bool connected) {
  std::vector<uid_t> users;
  for (const char* file : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    for (const uid_t user : listeners_in(read_small_file(file), address)) users.push_back(user);
  }
  const auto refuse = [&](const std::string& why) {
    return failure(ErrorCode::kForbidden,
                   fmt::format("{}, so the token is not sent to http://{}; use https://, the Unix "
                               "socket, or 'insecure: true' in servers.yaml",
                               why, address.text()));
  };
  if (users.empty() && connected)
    return refuse("it cannot be found out whose program listens there");
  for (const uid_t user : users) {
    if (user != 0 && user != ::geteuid()) {
      return refuse(
          fmt::format("a program of user {} listens there, not one of root or yours", user));
    }
  }
  return {};
}

}  // namespace gpusched
