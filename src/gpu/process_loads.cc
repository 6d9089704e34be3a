#include "gpu/process_loads.h"

#include <algorithm>

#include "gpu/mps_load.h"

namespace gpusched {
namespace {

constexpr double kIdlePercent = 1.0;

std::string program_of(const watch::WatchedProcess& process) {
  std::string name = process.owner.command.substr(0, process.owner.command.find(' '));
  if (name.empty()) name = process.seen.name;
  const auto slash = name.rfind('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

}  // namespace

bool ProcessLoads::is_ignored(const watch::WatchedProcess& process) const {
  return !process.owner.attempt &&
         (is_mps_server(process) ||
          std::ranges::find(rules_.ignored, program_of(process)) != rules_.ignored.end());
}

std::vector<SeenProcess> ProcessLoads::look(CardNumber card,
                                            const std::vector<watch::WatchedProcess>& listed,
                                            Now at) {
  std::map<Key, std::optional<Now>> now;
  std::map<Key, std::optional<Now>>& before = idle_[card];
  std::vector<SeenProcess> processes;
  processes.reserve(listed.size());
  for (const watch::WatchedProcess& process : listed) {
    SeenProcess seen{.pid = process.seen.pid};
    seen.vram_bytes = process.seen.vram_bytes;
    seen.attempt = process.owner.attempt;
    seen.user = process.owner.user;
    seen.command = process.owner.command.empty() ? process.seen.name : process.owner.command;
    seen.since = process.owner.started_wall;
    seen.ignored = is_ignored(process);
    if (const auto busy = process.seen.busy_percent) {
      const Key key{process.seen.pid, process.owner.started};
      std::optional<Now> idle;
      if (const auto old = before.find(key); old != before.end()) idle = old->second;
      if (*busy >= kIdlePercent) idle.reset();
      if (*busy < kIdlePercent && !idle) idle = at;
      seen.load_percent = *busy;
      // A server waits for its clients; that is no reason to point at it.
      const bool holds = seen.vram_bytes.value_or(0) > 0 && !is_mps_server(process);
      if (holds && idle && at.boot - idle->boot >= rules_.idle_after) {
        seen.idle_since = idle->wall;
      }
      now[key] = idle;
    }
    processes.push_back(std::move(seen));
  }
  before = std::move(now);
  return processes;
}

}  // namespace gpusched
