#include "gpu/seen_processes.h"

#include "gpu/mps_load.h"

namespace gpusched {

std::vector<SeenProcess> seen_processes(const std::vector<watch::WatchedProcess>& listed) {
  std::vector<SeenProcess> processes;
  processes.reserve(listed.size());
  for (const watch::WatchedProcess& process : listed) {
    SeenProcess seen{.pid = process.seen.pid};
    seen.vram_bytes = process.seen.vram_bytes;
    seen.load_percent = process.seen.busy_percent;
    seen.attempt = process.owner.attempt;
    seen.started = process.owner.started;
    seen.server = is_mps_server(process);
    seen.user = process.owner.user;
    seen.command = process.owner.command.empty() ? process.seen.name : process.owner.command;
    seen.since = process.owner.started_wall;
    processes.push_back(std::move(seen));
  }
  return processes;
}

}  // namespace gpusched
