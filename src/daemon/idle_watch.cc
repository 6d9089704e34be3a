#include "daemon/idle_watch.h"

#include <algorithm>
#include <utility>

#include "core/model/kind.h"
#include "os/clock.h"

namespace gpusched {

IdleWatch::IdleWatch(boost::asio::io_context& loop, Engine& engine, ShimOf shim_of)
    : timer_(loop), engine_(engine), shim_of_(std::move(shim_of)) {}

void IdleWatch::look_soon() {
  constexpr std::chrono::milliseconds kLookPeriod{1000};
  if (waiting_ || !HolderWatch::is_needed(engine_.state())) return;
  waiting_ = true;
  timer_.expires_after(kLookPeriod);
  timer_.async_wait([this](const boost::system::error_code& cancelled) {
    waiting_ = false;
    if (!cancelled) look();
  });
}

TreeRoot IdleWatch::root_of(const Job& job) const {
  if (!kind_of(job).started_here) return {process_before(*job.spec), true};
  return {shim_of_(job.current_attempt()), false};
}

void IdleWatch::look() {
  const StateView& state = engine_.state();
  const std::vector<ProcessEntry> all = list_processes();
  for (const JobId id : watch_.whom(state)) {
    const Job& job = *state.find(id);
    const TreeRoot root = root_of(job);
    if (root.pid <= 0) continue;
    auto seen = look_at_threads(root, all, read_clock().boot);
    const auto& lease = job.spec->lease;
    if (lease && seen) {
      const auto holder = std::ranges::find(all, root.pid, &ProcessEntry::pid);
      if (holder->started != boot_of_ticks(lease->pid_started)) seen.reset();  // Another one.
    }
    if (auto event = watch_.take(state, id, seen)) engine_.post(std::move(*event));
  }
  look_soon();
}

}  // namespace gpusched
