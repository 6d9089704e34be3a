#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/event_stream.h"
#include "api/metric_families.h"
#include "core/explain/waiting_counts.h"
#include "core/share/fair_share.h"
#include "metrics/tenant_seconds.h"

namespace gpusched {
namespace {

using metrics::Exposition;

void write_jobs(const Counts& counts, Exposition& out) {
  out.family({.name = "gpusched_jobs", .help = "Jobs that are known, by state."});
  const std::array<std::pair<std::string_view, std::uint64_t>, 8> states = {
      {{"held", counts.held},
       {"queued", counts.queued},
       {"starting", counts.starting},
       {"running", counts.running},
       {"paused", counts.paused},
       {"completed", counts.completed},
       {"failed", counts.failed},
       {"cancelled", counts.cancelled}}};
  for (const auto& [state, count] : states) out.add({{"state", state}}, count);
}

void write_waiting(const StateView& state, Now now, Exposition& out) {
  const WaitingCounts waiting = count_waiting(state, now);
  out.family({.name = "gpusched_jobs_waiting", .help = "Jobs that wait, by what they wait for."});
  for (const WaitsFor what : kAllWaitsFor) {
    out.add({{"reason", waits_for_name(what)}}, waiting.of(what));
  }
  out.family({.name = "gpusched_oldest_wait_seconds",
              .help = "Since the oldest job was submitted that could start if there were room.",
              .unit = "seconds"});
  if (!waiting.oldest) return;
  const std::chrono::duration<double> age = std::max(now.wall - *waiting.oldest, Microseconds{0});
  out.add({}, age.count());
}

// What one tenant has, or all that are not named.
struct TenantFigures {
  std::string name;
  std::uint64_t waiting = 0, running = 0, cards = 0, vram_bytes = 0;
  std::optional<double> due = {}, got = {};

  std::uint64_t size() const { return waiting + running + cards; }
  void add(const TenantFigures& other) {
    waiting += other.waiting;
    running += other.running;
    cards += other.cards;
    vram_bytes += other.vram_bytes;
    if (other.due) due = due.value_or(0) + *other.due;
    if (other.got) got = got.value_or(0) + *other.got;
  }
};

std::vector<TenantFigures> figures_of(const StateView& state, Now now) {
  const std::vector<Share> shares = shares_of(state, now);  // By name, as the entries are.
  auto share = shares.begin();
  std::vector<TenantFigures> all;
  TenantFigures others{.name = metrics::kOthers};
  bool any_others = false;
  for (const auto& [name, entry] : state.tenants().entries()) {
    while (share != shares.end() && *share->tenant < name) ++share;
    TenantFigures one{.name = name,
                      .waiting = state.waiting_of(name),
                      .running = entry.holds.running,
                      .cards = entry.holds.cards,
                      .vram_bytes = entry.holds.vram_bytes};
    if (share != shares.end() && *share->tenant == name) {
      one.due = share->due;
      one.got = share->got;
    }
    if (one.size() == 0 && !one.due) continue;
    if (name != metrics::kOthers) {
      all.push_back(std::move(one));
    } else {
      others.add(one);
      any_others = true;
    }
  }
  if (all.size() > metrics::kTenantsMost) {
    const auto end = all.begin() + metrics::kTenantsMost;
    const auto larger = [](const TenantFigures& a, const TenantFigures& b) {
      return std::pair(b.size(), a.name) < std::pair(a.size(), b.name);
    };
    std::ranges::nth_element(all, end, larger);
    for (auto it = end; it != all.end(); ++it) others.add(*it);
    all.erase(end, all.end());
    any_others = true;
  }
  if (any_others) all.push_back(std::move(others));
  return all;
}

}  // namespace

void write_queue_families(const Context& context, Exposition& out) {
  const StateView& state = context.state();
  write_jobs(state.counts(), out);
  write_waiting(state, context.now(), out);
  out.family({.name = "gpusched_clients", .help = "Connections to the API."});
  if (context.clients) out.add({}, context.clients());
  out.family({.name = "gpusched_event_streams", .help = "Clients that follow events."});
  out.add({}, context.events->open_streams());
  context.requests.write(out);
}

void write_tenant_families(const Context& context, Exposition& out) {
  const std::vector<TenantFigures> tenants = figures_of(context.state(), context.now());
  out.family({.name = "gpusched_tenant_jobs",
              .help = "Jobs of a tenant that wait, and that have cards or start."});
  for (const TenantFigures& one : tenants) {
    out.add({{"tenant", one.name}, {"state", "waiting"}}, one.waiting);
    out.add({{"tenant", one.name}, {"state", "running"}}, one.running);
  }
  const auto each = [&](const metrics::Family& family, auto TenantFigures::*of) {
    out.family(family);
    for (const TenantFigures& one : tenants) out.add({{"tenant", one.name}}, one.*of);
  };
  each({.name = "gpusched_tenant_cards", .help = "Cards that a tenant's jobs hold."},
       &TenantFigures::cards);
  each({.name = "gpusched_tenant_memory_held_bytes",
        .help = "Video memory that a tenant's jobs hold.",
        .unit = "bytes"},
       &TenantFigures::vram_bytes);
  each({.name = "gpusched_tenant_share_due_ratio",
        .help = "Of all usage, the part that is due to a tenant.",
        .unit = "ratio"},
       &TenantFigures::due);
  each({.name = "gpusched_tenant_share_got_ratio",
        .help = "Of all usage, the part that a tenant got.",
        .unit = "ratio"},
       &TenantFigures::got);
}

}  // namespace gpusched
