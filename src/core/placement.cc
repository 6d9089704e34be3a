#include "core/placement.h"

#include <algorithm>
#include <tuple>

#include "core/admission.h"
#include "core/quota.h"
#include "core/round_robin.h"

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

bool by_turns(const Job& job) { return job.spec->lease && job.spec->lease->by_turns; }

// What this decision has granted by turns so far.
std::map<CardNumber, std::uint64_t> turns_taken(const Tentative& free) {
  std::map<CardNumber, std::uint64_t> taken;
  for (const Tentative::Started& started : free.started) {
    if (!by_turns(*started.job)) continue;
    for (const CardGrant& held : started.grant.cards) ++taken[held.card];
  }
  return taken;
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
  if (by_turns(job)) order_by_turns(fitting, state.cards(), state.turns(), turns_taken(free));
  const std::size_t most =
      needs.gpus.all() ? fitting.size() : static_cast<std::size_t>(needs.gpus.most);
  if (fitting.size() > most) fitting.resize(most);
  std::ranges::sort(fitting);

  Grant grant{.cards = {}, .cpus = needs.cpus, .ram_bytes = needs.ram_bytes};
  for (const std::size_t i : fitting) grant.cards.push_back(grant_on(state.cards()[i], needs));
  return grant;
}

}  // namespace

std::vector<std::size_t> fitting_cards(const State& state, const Tentative& free,
                                       const Needs& needs) {
  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    const Card& card = state.cards()[i];
    if (matches(card, needs.cards) &&
        fits_on(card, free.cards[i], grant_on(card, needs), state.rules())) {
      fitting.push_back(i);
    }
  }
  const auto room_left = [&](std::size_t i) { return room_on(state.cards()[i], free.cards[i]); };
  std::ranges::sort(fitting, [&](std::size_t a, std::size_t b) {
    return std::tuple(room_left(a), a) < std::tuple(room_left(b), b);
  });
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
