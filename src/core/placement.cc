#include "core/placement.h"

#include <algorithm>
#include <utility>

#include "core/admission.h"
#include "core/gang_room.h"

namespace gpusched {
namespace {

bool leaves_room_for(const Reservation& reservation, const State& state, const Tentative& free,
                     std::size_t card_index, const CardGrant& wanted) {
  const Card& card = state.cards()[card_index];
  const CardGrant* reserved = reserved_on(reservation, card.number);
  if (reserved == nullptr) return true;
  CardHolds with_job = free.cards[card_index];
  with_job.vram_bytes += wanted.vram_bytes;
  with_job.share_percent += wanted.share_percent;
  with_job.whole = with_job.whole || wanted.whole;
  ++with_job.jobs;
  return fits_on(card, with_job, *reserved, state.rules());
}

bool host_has_room(const State& state, const Tentative& free, int cpus, std::uint64_t ram_bytes) {
  return free.host.cpus + cpus <= state.host().cpus &&
         free.host.ram_bytes + ram_bytes <= state.host().ram_bytes;
}

std::optional<Grant> place_on_cpus(const State& state, const Tentative& free, const Needs& needs) {
  const int cpus = std::max(1, needs.cpus);
  if (!host_has_room(state, free, cpus, needs.ram_bytes)) return std::nullopt;
  return Grant{.cards = {}, .cpus = cpus, .ram_bytes = needs.ram_bytes};
}

std::optional<Grant> place_on_cards(const State& state, const Tentative& free, const Needs& needs,
                                    const Reservation* reservation) {
  if (!host_has_room(state, free, needs.cpus, needs.ram_bytes)) return std::nullopt;
  std::vector<std::size_t> fitting = fitting_cards(state, free, needs);
  if (reservation != nullptr) {
    std::erase_if(fitting, [&](std::size_t i) {
      return !leaves_room_for(*reservation, state, free, i, grant_on(state.cards()[i], needs));
    });
  }
  std::size_t least = static_cast<std::size_t>(std::max(needs.gpus.least, 1));
  if (needs.gpus.all()) {
    const auto could = std::ranges::count_if(state.cards(), [&](const Card& card) {
      return card.usable && could_ever_fit(card, needs);
    });
    least = std::max<std::size_t>(least, static_cast<std::size_t>(could));
  }
  if (fitting.size() < least) return std::nullopt;
  const std::size_t most =
      needs.gpus.all() ? fitting.size() : static_cast<std::size_t>(needs.gpus.most);
  GangRoom room(state.cards());
  for (const std::size_t i : fitting) room.offer(i);
  std::size_t count = std::min(most, fitting.size());
  while (count >= least && !room.holds(count)) --count;
  if (count < least) return std::nullopt;
  fitting = room.choose(count);
  std::ranges::sort(fitting);

  Grant grant{.cards = {}, .cpus = needs.cpus, .ram_bytes = needs.ram_bytes};
  for (const std::size_t i : fitting) grant.cards.push_back(grant_on(state.cards()[i], needs));
  return grant;
}

}  // namespace

std::vector<std::size_t> fitting_cards(const State& state, const Tentative& free,
                                       const Needs& needs) {
  std::vector<std::pair<std::uint64_t, std::size_t>> by_room;
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    if (free.cards[i].whole) continue;  // On a busy machine most are, and nobody joins them.
    const Card& card = state.cards()[i];
    if (matches(card, needs.cards) &&
        fits_on(card, free.cards[i], grant_on(card, needs), state.rules())) {
      by_room.emplace_back(room_on(card, free.cards[i]), i);
    }
  }
  if (!std::ranges::is_sorted(by_room)) std::ranges::sort(by_room);
  std::vector<std::size_t> fitting;
  fitting.reserve(by_room.size());
  for (const auto& [room, i] : by_room) fitting.push_back(i);
  return fitting;
}

std::optional<Grant> place(const State& state, const Tentative& free, const Job& job,
                           const Reservation* reservation, Now now) {
  const Needs& needs = job.spec->needs;
  const bool passes = reservation == nullptr || over_by(*reservation, job, now);
  const Reservation* binding = passes ? nullptr : reservation;
  const bool cpu_possible = !needs.wants_cards() || needs.cpu_use != CpuUse::kNever;
  const auto on_cpus = [&]() -> std::optional<Grant> {
    if (!cpu_possible || (binding != nullptr && (binding->cpus || binding->ram))) {
      return std::nullopt;
    }
    return place_on_cpus(state, free, needs);
  };
  if (!needs.wants_cards()) return on_cpus();
  const auto on_cards = [&]() -> std::optional<Grant> {
    const bool delays_host = binding != nullptr && ((binding->cpus && needs.cpus > 0) ||
                                                    (binding->ram && needs.ram_bytes > 0));
    if (delays_host) return std::nullopt;
    return place_on_cards(state, free, needs, binding);
  };
  if (needs.cpu_use == CpuUse::kPrefer) {
    if (auto grant = on_cpus()) return grant;
    return on_cards();
  }
  if (auto grant = on_cards()) return grant;
  return on_cpus();
}

}  // namespace gpusched
