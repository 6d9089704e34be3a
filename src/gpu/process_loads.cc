#include "gpu/process_loads.h"

#include <algorithm>
#include <cmath>

#include "gpu/mps_load.h"

namespace gpusched {
namespace {

// The time in which about two thirds of a change have arrived.
constexpr double kSmoothingSeconds = 5.0;
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
  std::map<Key, Known> now;
  std::map<Key, Known>& before = known_[card];
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
      Known known{.load = *busy, .looked = at.boot, .idle = {}};
      if (const auto old = before.find(key); old != before.end()) {
        const double gap = std::chrono::duration<double>(at.boot - old->second.looked).count();
        const double part = 1 - std::exp(-std::max(gap, 0.0) / kSmoothingSeconds);
        known.load = old->second.load + part * (*busy - old->second.load);
        known.idle = old->second.idle;
      }
      if (*busy >= kIdlePercent) known.idle.reset();
      if (*busy < kIdlePercent && !known.idle) known.idle = at;
      seen.load_percent = known.load;
      // A server waits for its clients; that is no reason to point at it.
      const bool holds = seen.vram_bytes.value_or(0) > 0 && !is_mps_server(process);
      if (holds && known.idle && at.boot - known.idle->boot >= rules_.idle_after) {
        seen.idle_since = known.idle->wall;
      }
      now[key] = known;
    }
    processes.push_back(std::move(seen));
  }
  before = std::move(now);
  return processes;
}

}  // namespace gpusched
