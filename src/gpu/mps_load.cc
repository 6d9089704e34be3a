#include "gpu/mps_load.h"

#include <algorithm>
#include <string>

namespace gpusched {

bool is_mps_server(const watch::WatchedProcess& process) {
  constexpr std::string_view kServer = "nvidia-cuda-mps-server";
  const auto is = [&](const std::string& name) {
    const std::string_view program = std::string_view(name).substr(0, name.find(' '));
    return program == kServer || program.ends_with(std::string("/").append(kServer));
  };
  return is(process.owner.command) || is(process.seen.name);
}

void give_load_to_mps_clients(std::vector<watch::WatchedProcess>& processes) {
  for (watch::WatchedProcess& server : processes) {
    if (!is_mps_server(server) || !server.seen.busy_percent) continue;
    std::vector<watch::WatchedProcess*> clients;
    double own = 0;
    for (watch::WatchedProcess& process : processes) {
      if (process.seen.kind != watch::ProcessKind::kMps || is_mps_server(process)) continue;
      if (process.owner.uid != server.owner.uid) continue;
      clients.push_back(&process);
      own += process.seen.busy_percent.value_or(0);
    }
    if (clients.empty()) continue;
    // What they are said to do themselves is part of it.
    const double rest = std::max(0.0, *server.seen.busy_percent - own);
    for (watch::WatchedProcess* client : clients) {
      client->seen.busy_percent =
          client->seen.busy_percent.value_or(0) + rest / static_cast<double>(clients.size());
    }
    server.seen.busy_percent = 0;
  }
}

}  // namespace gpusched
