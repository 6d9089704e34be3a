// What is free while a decision is being made: the state's holds plus what this turn has handed
// out so far. Small (one entry per card), so a turn can copy it freely; jobs are never copied.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/admit/fragmentation.h"
#include "core/model/tenant.h"
#include "core/state/state_view.h"

namespace gpusched {

// drop() of a card, with all that a running job takes besides: what it has or computes beyond its
// grant goes with it, and what it left unused of its share is no longer anybody's.
inline void take_away(const StateView& state, const Job& job, const CardGrant& held,
                      CardHolds& holds) {
  drop(holds, held);
  const UngrantedUse own = ungranted_of(state, job, held.card);
  holds.ungranted.vram_bytes -= std::min(holds.ungranted.vram_bytes, own.vram_bytes);
  holds.ungranted.jobs_load_percent -= own.jobs_load_percent;
  if (holds.jobs > 0) return;
  holds.ungranted.jobs_load_percent = 0;
  holds.ungranted.growing = false;
}

struct ExpectedEnd {
  Wall at{};
  Wall since{};  // Of jobs of which nobody knows when they end, the oldest is waited for first.
  JobId job{};
  const Grant* grant = nullptr;
  friend bool operator>(const ExpectedEnd& a, const ExpectedEnd& b) {
    return std::tie(a.at, a.since, a.job) > std::tie(b.at, b.since, b.job);
  }
};

struct Tentative {
  explicit Tentative(const StateView& state) : host(state.host_holds()) {
    cards.reserve(state.cards().size());
    for (std::size_t i = 0; i < state.cards().size(); ++i) cards.push_back(state.holds_on(i));
  }

  // Where only what the turn gives counts, not the cards.
  static Tentative of_nothing(const StateView& state) { return Tentative(state.host_holds()); }

  void take(const StateView& state, const Job& job, const Grant& grant) {
    started.push_back({&job, grant});
    keep(state, job, grant);
  }

  // It will be there, but does not start now.
  void keep(const StateView& state, const Job& job, const Grant& grant) {
    given[job.tenant].add(grant);
    for (const CardGrant& held : grant.cards) {
      const auto position = state.index_of(held.card);
      if (position) add(cards[*position], held);
    }
    host.cpus += grant.cpus;
    host.ram_bytes += grant.ram_bytes;
  }

  bool has_started(JobId id) const {
    return std::ranges::any_of(started, [id](const Started& one) { return one.job->id == id; });
  }

  std::vector<CardHolds> cards;  // In the order of State::cards().
  // What waits, for packing; worked out when it is first asked for.
  mutable std::optional<std::vector<RequestClass>> classes;
  // When what runs will end, by how much is trusted (core/state/run_time.h); likewise.
  mutable std::array<std::optional<std::vector<ExpectedEnd>>, 2> ends;
  HostHolds host;
  // By this turn; they hold what they were given and will end like those that run already.
  struct Started {
    const Job* job = nullptr;
    Grant grant;
  };
  std::vector<Started> started;
  std::map<std::string, TenantHolds> given;  // By tenant.
  std::map<std::string, int> started_in_group;
  std::map<JobId, int> started_in_array;

 private:
  explicit Tentative(const HostHolds& held) : host(held) {}
};

}  // namespace gpusched
