// The settings that let other machines in.
#include <algorithm>

#include "config/setting_kinds.h"
#include "os/tcp_address.h"

namespace gpusched {
namespace {

constexpr std::size_t kAddressesMost = 16;
constexpr std::size_t kNamesMost = 100;
constexpr std::size_t kLongestName = 253;

Result<std::vector<std::string>> read_addresses(std::string_view text) {
  std::vector<std::string> addresses;
  while (!text.empty()) {
    const auto address = parse_tcp_address(trimmed(take_until(text, ',')));
    if (!address) return failure(address.error());
    if (std::ranges::find(addresses, address->text()) != addresses.end()) {
      return wrong(fmt::format("{} stands there twice", address->text()));
    }
    addresses.push_back(address->text());
  }
  if (addresses.size() > kAddressesMost) {
    return wrong(fmt::format("{} addresses are more than {}", addresses.size(), kAddressesMost));
  }
  return addresses;
}

Setting listen_setting() {
  Setting setting{
      "network", "listen",
      "Where other machines reach the daemon: addresses and ports in numbers, such as "
      "[\"127.0.0.1:7340\", \"[::1]:7340\"]. Addresses other than those of loopback need a "
      "certificate. Port 0 is a free one, which the log names.",
      [](Config& config, const std::string& text) -> Result<void> {
        auto addresses = read_addresses(text);
        if (!addresses) return failure(addresses.error());
        config.network.listen = std::move(*addresses);
        return {};
      },
      [](const Config& config) {
        std::string out;
        for (const std::string& address : config.network.listen) {
          out += (out.empty() ? "" : ", ") + quoted(address);
        }
        return "[" + out + "]";
      }};
  setting.list = true;
  return setting;
}

Result<std::vector<std::string>> read_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::string name = lower_case(trimmed(take_until(text, ',')));
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-._:";
    if (name.empty() || name.size() > kLongestName ||
        name.find_first_not_of(kLetters) != std::string::npos) {
      return wrong(fmt::format("\"{}\" is no name of a machine, such as box.lab.example", name));
    }
    names.push_back(name);
  }
  if (names.size() > kNamesMost) {
    return wrong(fmt::format("{} names are more than {}", names.size(), kNamesMost));
  }
  return names;
}

Setting names_setting() {
  Setting setting{
      "network", "names",
      "Other names by which browsers and clients call this machine. Its host name, the names in "
      "the certificate, the addresses above and localhost are known; who asks for another name is "
      "refused, since a foreign page could have made it.",
      [](Config& config, const std::string& text) -> Result<void> {
        auto names = read_names(text);
        if (!names) return failure(names.error());
        config.network.names = std::move(*names);
        return {};
      },
      [](const Config& config) {
        std::string out;
        for (const std::string& name : config.network.names) {
          out += (out.empty() ? "" : ", ") + quoted(name);
        }
        return "[" + out + "]";
      }};
  setting.list = true;
  return setting;
}

}  // namespace

void add_network_settings(std::vector<Setting>& list) {
  const std::string in = "network";
  list.push_back(listen_setting());
  list.push_back(absolute_path(
      in, "certificate",
      "A PEM file with the certificate, and those that signed it. With it all of these addresses "
      "speak TLS. It is read again when the configuration is.",
      PLACE(network.certificate), kLongestPath));
  list.push_back(absolute_path(in, "key", "The PEM file with its key, which others cannot read.",
                               PLACE(network.key), kLongestPath));
  list.push_back(names_setting());
}

Result<void> check_network(const NetworkSettings& network) {
  if (network.certificate.empty() != network.key.empty()) {
    return wrong("network.certificate and network.key belong together: give both or none");
  }
  if (!network.certificate.empty()) return {};
  for (const std::string& text : network.listen) {
    const auto address = parse_tcp_address(text);
    if (!address) return failure(address.error());
    if (address->is_loopback()) continue;
    return wrong(
        fmt::format("network.listen: {} can be reached from other machines, which needs TLS: set "
                    "network.certificate and network.key, or listen on 127.0.0.1",
                    text));
  }
  return {};
}

}  // namespace gpusched
