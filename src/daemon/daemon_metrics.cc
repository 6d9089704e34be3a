// What the daemon tells of itself at GET /metrics. Who has another family to tell adds a Source to
// the list, and its row to docs/metrics.md.
#include <algorithm>
#include <chrono>

#include "daemon/daemon.h"
#include "os/clock.h"
#include "os/process_use.h"

namespace gpusched {
namespace {

using metrics::Exposition;
using metrics::Tells;
using metrics::Type;

void write_process(Exposition& out, Wall started) {
  const ProcessUse use = own_use();
  out.family(
      {.name = "gpusched_build_info", .type = Type::kInfo, .help = "The version of the daemon."});
  out.add({{"version", GPUSCHED_VERSION}}, 1);
  out.family({.name = "process_start_time_seconds",
              .help = "When this process began, since 1970; all counters began then.",
              .unit = "seconds"});
  out.add({}, std::chrono::duration<double>(started.time_since_epoch()).count());
  out.family({.name = "process_cpu_seconds_total",
              .type = Type::kCounter,
              .help = "CPU time of the daemon.",
              .unit = "seconds"});
  out.add({}, use.cpu_seconds);
  out.family(
      {.name = "process_resident_memory_bytes", .help = "Memory of the daemon.", .unit = "bytes"});
  out.add({}, use.resident_bytes);
  out.family({.name = "process_virtual_memory_bytes",
              .help = "Address space of the daemon.",
              .unit = "bytes"});
  out.add({}, use.virtual_bytes);
  out.family({.name = "process_open_fds", .help = "Descriptors that are open."});
  out.add({}, use.open_descriptors);
  out.family({.name = "process_max_fds", .help = "Descriptors that may be open."});
  out.add({}, use.descriptors_most);
}

// Since any card was seen.
std::optional<double> age_of(const watch::CardBoard& board, Boot now) {
  std::optional<Boot> newest;
  for (const auto& [card, entry] : board.entries) {
    if (entry.sample) newest = std::max(newest.value_or(Boot{}), entry.sample->at.boot);
  }
  if (!newest) return std::nullopt;
  return std::chrono::duration<double>(std::max(now - *newest, Boot::duration{0})).count();
}

}  // namespace

void Daemon::write_helpers(Exposition& out) const {
  out.family({.name = "gpusched_sampler_age_seconds",
              .help = "Since the sampler last told of any card.",
              .unit = "seconds"});
  if (cards_) out.add({}, age_of(cards_->board(), read_clock().boot));
  out.family({.name = "gpusched_sampler_restarts_total",
              .type = Type::kCounter,
              .help = "How often the sampler had to be started again."});
  if (cards_) out.add({}, cards_->restarts());
  out.family({.name = "gpusched_history_dropped_points_total",
              .type = Type::kCounter,
              .help = "Points that the history did not keep, as its disk was too slow."});
  out.add({}, history_->dropped());
  out.family({.name = "gpusched_store_up",
              .help = "1 while the store takes commits, else 0: new work is refused."});
  out.add({}, engine_->degraded() ? 0 : 1);
}

std::vector<metrics::Source> Daemon::metric_sources() {
  const Wall started = read_clock().wall;
  return {
      {Tells::kMachine, [started](Exposition& out) { write_process(out, started); }},
      {Tells::kMachine, [this](Exposition& out) { write_helpers(out); }},
      {Tells::kMachine, [this](Exposition& out) { turn_meters_.write(out); }},
      {Tells::kMachine, [this](Exposition& out) { card_meters_.write(out); }},
      {Tells::kCounts, [this](Exposition& out) { work_meters_.write(out); }},
      {Tells::kMachine, [this](Exposition& out) { write_alarms(out); }},
      {Tells::kNames, [this](Exposition& out) { work_meters_.write_tenants(out, read_clock()); }},
  };
}

}  // namespace gpusched
