// Who could leave its cards, how, and what that costs. Whether it has to is preempt.h's to say.
#pragma once

#include <optional>
#include <vector>

#include "core/state/state_view.h"

namespace gpusched {

struct Victim {
  JobId job{};
  Mechanism mechanism = Mechanism::kFreeze;
  std::uint64_t bytes = 0;  // To be moved to host RAM.
  bool idle = false;        // It does not use what it has, and is awake while it is aside.
};
// Data, like every decision.
struct Preempt {
  JobId for_job{};
  std::vector<Victim> victims;
};
// One who could go, and what that costs.
struct Candidate {
  const Job* job = nullptr;
  Victim victim;
  Microseconds lost{0};    // Work that is done again.
  Microseconds moving{0};  // Out and back, at the rates of its cards.
};
bool less_harm(const Candidate& a, const Candidate& b);
// A job that could be moved if somebody deserved its place.
bool is_movable(const StateView& state, const Job& job, Now now);
// By the way that frees its cards; nullopt: there is none.
std::optional<Candidate> leaving_candidate(const StateView& state, const Job& job,
                                           std::uint64_t ram_free, Now now);

// The driver of each of its cards can move what is there.
bool on_movable_cards(const StateView& state, const Job& job);
// The driver did not move its program before.
bool refuses_moves(const StateView& state, const Job& job);
// Its driver can move it (never a client of MPS), and host RAM can take what it has on its cards.
bool can_checkpoint(const StateView& state, const Job& job, std::uint64_t ram_free);
// How the job would leave its cards with its VRAM, by its own wish and the rules. Nullopt: not at
// all. `ram_free`: what of host RAM may take what it has there.
std::optional<Mechanism> way_out(const StateView& state, const Job& job, std::uint64_t ram_free);
// What it has on its cards, as far as that was seen.
std::uint64_t vram_in_use(const StateView& state, const Job& job);
// Host RAM that may take what jobs have on cards.
std::uint64_t ram_for_moves(const StateView& state, const HostHolds& holds);

}  // namespace gpusched
