// What this machine is called: its host name, the names that /etc/hosts has for it, its addresses.
// No name service is asked: the answer must not depend on who else is reachable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpusched::cli {

// For a certificate; the host name first, those of loopback last.
std::vector<std::string> own_names();

// All names on the lines of a hosts file that name `host`, each once.
std::vector<std::string> names_beside(std::string_view hosts_file, std::string_view host);

}  // namespace gpusched::cli
