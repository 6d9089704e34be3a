// The way in for other machines: where to listen, and what to prove it with.
#include <fmt/format.h>

#include "daemon/daemon.h"
#include "os/log.h"
#include "os/tcp_address.h"

namespace gpusched {

// Null: none is set.
Result<std::shared_ptr<const TlsContext>> Daemon::read_certificate(
    const NetworkSettings& network) const {
  if (network.listen.empty() || network.certificate.empty()) return nullptr;
  return TlsContext::of_server(network.certificate, network.key);
}

// All that is new, or nothing: after an error it is as it was.
Result<void> Daemon::open_network(const NetworkSettings& network,
                                  std::shared_ptr<const TlsContext> certificate) {
  std::vector<TcpAddress> addresses;
  for (const std::string& text : network.listen) {
    auto address = parse_tcp_address(text);
    if (!address) return failure(address.error());
    addresses.push_back(*address);
  }
  auto bound = api_->listen_on_network(addresses, certificate);
  if (!bound) return failure(bound.error());
  certificate_ = std::move(certificate);
  std::string where;
  for (const TcpAddress& address : *bound) where += (where.empty() ? "" : ", ") + address.text();
  const std::string fingerprint = certificate_ ? certificate_->fingerprint() : "none: no TLS";
  const std::string said = where.empty() ? "" : where + " " + fingerprint;
  if (std::exchange(network_said_, said) == said) return {};
  log_info("the network can reach the daemon",
           {{"at", where.empty() ? "no address" : where}, {"certificate", fingerprint}});
  return {};
}

}  // namespace gpusched
