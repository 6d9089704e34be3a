// The way in for other machines: where to listen, and what to prove it with.
#include <fmt/format.h>
#include <netdb.h>
#include <unistd.h>

#include <array>

#include "base/text.h"
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

// What the machine is called: at once by itself, later by the name service, which may take long.
void Daemon::look_for_host_names() {
  std::array<char, 256> text{};
  if (::gethostname(text.data(), text.size() - 1) != 0 || text[0] == '\0') return;
  const std::string own = lower_case(text.data());
  host_names_ = {own, own.substr(0, own.find('.'))};
  api_->change_limits(api_limits());
  name_search_.post(0, [this, own]() -> Background::Then {
    addrinfo wanted{};
    wanted.ai_flags = AI_CANONNAME;
    addrinfo* found = nullptr;
    std::string whole;
    if (::getaddrinfo(own.c_str(), nullptr, &wanted, &found) == 0) {
      if (found != nullptr && found->ai_canonname != nullptr)
        whole = lower_case(found->ai_canonname);
      ::freeaddrinfo(found);
    }
    return [this, whole] {
      if (whole.empty()) return;
      host_names_.push_back(whole);
      api_->change_limits(api_limits());
    };
  });
}

}  // namespace gpusched
