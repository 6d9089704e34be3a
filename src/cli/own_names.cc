#include "cli/own_names.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <memory>

#include "base/text.h"
#include "os/small_file.h"
#include "os/tcp_address.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kNamesMost = 64;  // Containers can give a machine very many addresses.
constexpr std::size_t kHostsMost = 1U << 20;

void add_name(std::vector<std::string>& names, const std::string& name) {
  const bool known = std::ranges::find(names, name) != names.end();
  if (!name.empty() && !known && names.size() < kNamesMost) names.push_back(name);
}

// Those that others can use: of a link alone one would have to name the interface as well.
std::string usable_address(const ifaddrs& entry) {
  if (entry.ifa_addr == nullptr || (entry.ifa_flags & IFF_UP) == 0) return "";
  TcpAddress found;
  const int family = entry.ifa_addr->sa_family;
  if (family == AF_INET) {
    found.size = sizeof(sockaddr_in);
  } else if (family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr);
    if (IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr)) return "";
    found.size = sizeof(sockaddr_in6);
  } else {
    return "";
  }
  std::memcpy(&found.address, entry.ifa_addr, found.size);
  return found.is_loopback() ? "" : found.host();
}

void add_addresses(std::vector<std::string>& names) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(list, ::freeifaddrs);
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    add_name(names, usable_address(*one));
  }
}

}  // namespace

std::vector<std::string> names_beside(std::string_view hosts_file, std::string_view host) {
  std::vector<std::string> found;
  while (!hosts_file.empty()) {
    std::string line(take_until(hosts_file, '\n'));
    line = line.substr(0, line.find('#'));
    std::ranges::replace(line, '\t', ' ');
    std::vector<std::string_view> words = split_nonempty(line, ' ');
    if (words.empty() || std::ranges::find(words, host) == words.end()) continue;
    for (const std::string_view word : words) {
      if (word != words.front()) add_name(found, std::string(word));
    }
  }
  return found;
}

std::vector<std::string> own_names() {
  std::vector<std::string> names;
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) {
    const std::string name = host.data();
    add_name(names, name);
    const std::string hosts = read_small_file("/etc/hosts", kHostsMost);
    for (const std::string& other : names_beside(hosts, name)) add_name(names, other);
    add_name(names, name.substr(0, name.find('.')));
  }
  add_addresses(names);
  for (const char* name : {"localhost", "127.0.0.1", "::1"}) add_name(names, name);
  return names;
}

}  // namespace gpusched::cli
