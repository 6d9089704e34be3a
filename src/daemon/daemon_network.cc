// The way in for other machines: where to listen, and what to prove it with. At the start trouble
// with it keeps nobody of this machine waiting; it is told and tried again.
#include <fmt/format.h>
#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "daemon/daemon.h"
#include "daemon/web_addresses.h"
#include "os/log.h"
#include "os/tcp_address.h"

namespace gpusched {
namespace {

Result<std::vector<TcpAddress>> addresses_of(const NetworkSettings& network) {
  std::vector<TcpAddress> addresses;
  for (const std::string& text : network.listen) {
    auto address = parse_tcp_address(text);
    if (!address) return failure(address.error());
    addresses.push_back(*address);
  }
  return addresses;
}

}  // namespace

// Null: none is set.
Result<std::shared_ptr<const TlsContext>> Daemon::read_certificate(
    const NetworkSettings& network) const {
  if (network.listen.empty() || network.certificate.empty()) return nullptr;
  return TlsContext::of_server(network.certificate, network.key);
}

std::string Daemon::fingerprint_now() const {
  return certificate_ ? certificate_->fingerprint() : "";
}

// Whether open_network() would do.
Result<void> Daemon::check_network_of(const NetworkSettings& network) {
  const auto addresses = addresses_of(network);
  if (!addresses) return failure(addresses.error());
  return api_->check_network(*addresses);
}

// All that is new, or nothing: after an error it is as it was.
Result<void> Daemon::open_network(const NetworkSettings& network,
                                  std::shared_ptr<const TlsContext> certificate) {
  const auto addresses = addresses_of(network);
  if (!addresses) return failure(addresses.error());
  auto bound = api_->listen_on_network(*addresses, certificate);
  if (!bound) return failure(bound.error());
  certificate_ = std::move(certificate);
  network_open_ = *addresses;
  tell_network(*bound);
  network_troubles_.clear();
  network_tried_.cancel();
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

void Daemon::tell_network(const std::vector<TcpAddress>& bound) {
  network_bound_ = bound;
  std::string where;
  for (const TcpAddress& address : bound) where += (where.empty() ? "" : ", ") + address.text();
  const std::string fingerprint = certificate_ ? certificate_->fingerprint() : "none: no TLS";
  const std::string said = where.empty() ? "" : where + " " + fingerprint;
  if (std::exchange(network_said_, said) == said) return;
  if (where.empty()) return log_info("the network can no longer reach the daemon");
  log_info("the network can reach the daemon", {{"at", where}, {"certificate", fingerprint}});
}

std::vector<std::string> Daemon::addresses_for_browsers() const {
  WebNames names{.tls = certificate_ != nullptr, .host = host_names_};
  if (certificate_) names.certificate = certificate_->names();
  return web_addresses(network_bound_, names);
}

// As much of it as there is to be had, and the rest later: the port of another program may be free
// then, the disk with the certificate there.
void Daemon::open_what_can_be_had() {
  constexpr std::chrono::seconds kEvery{2};
  std::vector<std::string> troubles;
  const auto wanted = addresses_of(config_.network);
  if (!wanted) troubles.push_back(wanted.error().message);
  auto certificate = read_certificate(config_.network);
  if (!certificate) troubles.push_back(certificate.error().message);
  if (troubles.empty()) {
    for (const TcpAddress& address : *wanted) {
      const auto is_this = [&](const TcpAddress& one) { return one.text() == address.text(); };
      if (std::ranges::any_of(network_open_, is_this)) continue;
      network_open_.push_back(address);
      if (auto opened = api_->listen_on_network(network_open_, *certificate); !opened) {
        troubles.push_back(opened.error().message);
        network_open_.pop_back();
      }
    }
    certificate_ = *certificate;
    // What is open stays open, with the newest certificate.
    if (auto bound = api_->listen_on_network(network_open_, *certificate)) tell_network(*bound);
  }
  if (troubles != network_troubles_) {
    for (const std::string& why : troubles) {
      log_error("the network cannot reach the daemon as it should", {{"reason", why}});
    }
  }
  network_troubles_ = std::move(troubles);
  if (network_troubles_.empty()) return;
  network_tried_.expires_after(kEvery);
  network_tried_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) open_what_can_be_had();
  });
}

}  // namespace gpusched
