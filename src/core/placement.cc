#include "core/placement.h"

#include <algorithm>
#include <utility>

#include "core/admission.h"
#include "core/gang_room.h"
#include "core/quota.h"

namespace gpusched {
namespace {

bool host_has_room(const State& state, const Tentative& free, int cpus, std::uint64_t ram_bytes) {
  return free.host.cpus + cpus <= state.host().cpus &&
         free.host.ram_bytes + ram_bytes <= state.host().ram_bytes;
}

std::optional<Grant> place_on_cpus(const State& state, const Tentative& free, const Needs& needs,
                                   const Reservation* reservation) {
  const int cpus = std::max(1, needs.cpus);
  if (!host_has_room(state, free, cpus, needs.ram_bytes)) return std::nullopt;
  if (reservation != nullptr && !leaves_room_for(state, *reservation, cpus, needs.ram_bytes)) {
    return std::nullopt;
  }
  return Grant{.cards = {}, .cpus = cpus, .ram_bytes = needs.ram_bytes};
}

std::optional<Grant> place_on_cards(const State& state, const Tentative& free, const Job& job,
                                    const Reservation* reservation, Now now) {
  const Needs& needs = job.spec->needs;
  if (!host_has_room(state, free, needs.cpus, needs.ram_bytes)) return std::nullopt;
  if (reservation != nullptr &&
      !leaves_room_for(state, *reservation, needs.cpus, needs.ram_bytes)) {
    return std::nullopt;
  }
  std::vector<std::size_t> fitting = fitting_cards(state, free, needs);
  if (reservation != nullptr) {
    // Who has a card kept for oneself need not leave it to the first in order.
    std::erase_if(fitting, [&](std::size_t i) {
      return !leaves_room_for(state, *reservation, i, grant_on(state.cards()[i], needs)) &&
             !state.card_bookings().kept_for(job, i, now.wall);
    });
  }
  if (!state.card_bookings().empty()) {
    const Wall end = end_of(state, job, now, Trust::kEstimates);
    std::erase_if(fitting, [&](std::size_t i) {
      return state.card_bookings().against(job, i, now.wall, end) != nullptr;
    });
  }
  keep_within_quota(state, free, job, now, fitting);
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
  const bool passes = reservation == nullptr || over_by(state, *reservation, job, now);
  const Reservation* binding = passes ? nullptr : reservation;
  const auto on_cpus = [&] { return place_on_cpus(state, free, needs, binding); };
  const auto on_cards = [&] { return place_on_cards(state, free, job, binding, now); };
  if (!needs.wants_cards()) return on_cpus();
  if (needs.cpu_use == CpuUse::kNever) return on_cards();
  const bool cpus_first = needs.cpu_use == CpuUse::kPrefer;
  if (auto grant = cpus_first ? on_cpus() : on_cards()) return grant;
  return cpus_first ? on_cards() : on_cpus();
}

}  // namespace gpusched
