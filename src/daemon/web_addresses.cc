#include "daemon/web_addresses.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpusched {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_vouched_for(const WebNames& names, const std::string& name) {
  const std::size_t dot = name.find('.');
  return contains(names.certificate, name) ||
         (dot != std::string::npos && contains(names.certificate, "*" + name.substr(dot)));
}

bool is_address(const std::string& name) {
  return parse_tcp_address(name + ":1").has_value() ||
         parse_tcp_address("[" + name + "]:1").has_value();
}

bool is_every_address(const std::string& host) { return host == "0.0.0.0" || host == "::"; }

// Empty: none that fits.
std::string name_for(const TcpAddress& address, const WebNames& names) {
  const std::string host = address.host();
  if (address.is_loopback()) {
    return names.tls && is_vouched_for(names, "localhost") ? "localhost" : host;
  }
  if (!is_every_address(host) && contains(names.certificate, host)) return host;
  // The whole name leads here from everywhere, the short one from near by.
  std::vector<std::string> own = names.host;
  std::ranges::stable_sort(own, std::ranges::greater{}, &std::string::size);
  const auto known = std::ranges::find_if(
      own, [&names](const std::string& name) { return is_vouched_for(names, name); });
  if (known != own.end()) return *known;
  const auto in_it = std::ranges::find_if(names.certificate, [](const std::string& name) {
    return name != "localhost" && !name.starts_with('*') && !is_address(name);
  });
  if (in_it != names.certificate.end()) return *in_it;
  if (!is_every_address(host)) return host;
  return own.empty() ? std::string() : own.front();
}

}  // namespace

std::vector<std::string> web_addresses(const std::vector<TcpAddress>& bound,
                                       const WebNames& names) {
  std::vector<std::string> urls;
  for (const TcpAddress& address : bound) {
    std::string name = name_for(address, names);
    if (name.empty()) continue;
    if (name.find(':') != std::string::npos) name = "[" + name + "]";
    std::string url = fmt::format("http{}://{}:{}/", names.tls ? "s" : "", name, address.port());
    if (!contains(urls, url)) urls.push_back(std::move(url));
  }
  return urls;
}

}  // namespace gpusched
