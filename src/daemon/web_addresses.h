// Where a browser finds the daemon: the addresses that it listens on as URLs, with names that its
// certificate has, so that no browser has to be told that a name is wrong.
#pragma once

#include <string>
#include <vector>

#include "os/tcp_address.h"

namespace gpusched {

struct WebNames {
  bool tls = false;
  std::vector<std::string> certificate = {};  // Names and addresses in it.
  std::vector<std::string> host = {};         // What the machine is called.
};

// "https://box.lab:7340/", in the order of the addresses, each once.
std::vector<std::string> web_addresses(const std::vector<TcpAddress>& bound, const WebNames& names);

}  // namespace gpusched
