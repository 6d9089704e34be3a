#include "core/state/foreign_loads.h"

#include <algorithm>

namespace gpusched {

void ForeignLoads::look(CardView& view, Microseconds fall) {
  std::map<Key, RecentLoad> processes;
  std::set<AttemptId> ours;
  for (SeenProcess& process : view.processes) {
    told_by_process_ = told_by_process_ || process.load_percent;
    if (process.attempt) {
      ours.insert(*process.attempt);
      continue;
    }
    if (!process.load_percent) continue;
    const Key key{process.pid, process.started};
    RecentLoad recent = std::move(processes_[key]);
    process.load_percent = recent.add(*process.load_percent, view.at.boot, fall);
    processes.emplace(key, std::move(recent));
  }
  processes_ = std::move(processes);
  if (told_by_process_) view.busy_percent.reset();
  // What one of ours did there before it left is nobody's load now.
  if (!std::ranges::includes(ours, ours_)) card_ = {};
  ours_ = std::move(ours);
  if (view.busy_percent) view.busy_percent = card_.add(*view.busy_percent, view.at.boot, fall);
}

}  // namespace gpusched
