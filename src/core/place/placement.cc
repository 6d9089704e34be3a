#include "core/place/placement.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "core/admit/admission.h"
#include "core/admit/fragmentation.h"
#include "core/admit/gang_room.h"
#include "core/admit/slow_neighbours.h"
#include "core/model/kind.h"
#include "core/share/quota.h"
#include "core/state/belief.h"
#include "core/state/round_robin.h"

namespace gpusched {
namespace {

void prefer_linked(const StateView& state, std::size_t wanted, std::vector<std::size_t>& cards);

bool host_has_room(const StateView& state, const Tentative& free, int cpus,
                   std::uint64_t ram_bytes) {
  return free.host.cpus + cpus <= state.host().cpus &&
         free.host.ram_bytes + ram_bytes <= state.host().ram_bytes;
}

std::optional<Grant> place_on_cpus(const StateView& state, const Tentative& free,
                                   const Needs& needs, const ReservedStart* reserved) {
  const int cpus = std::max(1, needs.cpus);
  if (!host_has_room(state, free, cpus, needs.ram_bytes)) return std::nullopt;
  if (reserved != nullptr && !leaves_room_for(state, *reserved, cpus, needs.ram_bytes)) {
    return std::nullopt;
  }
  return Grant{.cards = {}, .cpus = cpus, .ram_bytes = needs.ram_bytes};
}

bool leased_by_turns(const Job& job) { return job.spec->lease && job.spec->lease->by_turns; }

// What this decision has granted by turns so far.
std::map<CardNumber, std::uint64_t> turns_taken(const StateView& state, const Tentative& free) {
  std::map<CardNumber, std::uint64_t> taken;
  for (const Tentative::Started& started : free.started) {
    if (!by_turns(state.rules(), *started.job)) continue;
    for (const CardGrant& held : started.grant.cards) ++taken[held.card];
  }
  return taken;
}

std::optional<Grant> place_on_cards(const StateView& state, const Tentative& free, const Job& job,
                                    const Needs& needs, const ReservedStart* reserved, Now now) {
  if (!host_has_room(state, free, needs.cpus, needs.ram_bytes)) return std::nullopt;
  if (reserved != nullptr && !leaves_room_for(state, *reserved, needs.cpus, needs.ram_bytes)) {
    return std::nullopt;
  }
  std::vector<std::size_t> fitting = fitting_cards(state, free, needs);
  if (reserved != nullptr) {
    // A job whose own card is reserved need not leave it to the first in order.
    std::erase_if(fitting, [&](std::size_t i) {
      return !leaves_room_for(state, *reserved, i, grant_on(state.cards()[i], needs)) &&
             !state.card_reservations().kept_for(job, i, now.wall);
    });
  }
  if (!state.card_reservations().empty()) {
    const Wall end = end_of(state, job, now, Trust::kEstimates);
    std::erase_if(fitting, [&](std::size_t i) {
      return state.card_reservations().against(job, i, now.wall, end) != nullptr;
    });
  }
  if (!state.seen().slow_pairs.empty()) {
    std::erase_if(fitting, [&](std::size_t i) { return slow_neighbours(state, free, job, i) > 0; });
  }
  // Before the quota, which keeps the first ones.
  if (leased_by_turns(job)) {
    order_by_turns(fitting, state.cards(), state.seen().turns, turns_taken(state, free));
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
  if (!leased_by_turns(job)) prefer_linked(state, least, fitting);
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

namespace {

// The best first; ties go to the lowest index.
void sort_by_choice(const StateView& state, const Tentative& free, const Needs& needs,
                    std::vector<std::size_t>& cards) {
  if (cards.size() < 2) return;
  if (state.rules().placement == Placement::kRoundRobin) {
    return order_by_turns(cards, state.cards(), state.seen().turns, turns_taken(state, free));
  }
  if (state.rules().placement == Placement::kPack && needs.whole_cards() && needs.beliefs.empty()) {
    // A whole card is lost as a whole wherever it is; equal ones are in order already.
    const auto room = [&](std::size_t i) { return room_on(state.cards()[i], free.cards[i]); };
    if (!std::ranges::is_sorted(cards, {}, room)) std::ranges::stable_sort(cards, {}, room);
    return;
  }
  using Rank = std::tuple<std::int64_t, std::int64_t, std::size_t>;
  std::vector<Rank> ranks;
  ranks.reserve(cards.size());
  GrantFor grant(needs);
  for (const std::size_t i : cards) {
    const Card& card = state.cards()[i];
    const auto room = static_cast<std::int64_t>(room_on(card, free.cards[i]));
    switch (state.rules().placement) {
      case Placement::kPack: {
        const CardGrant& wanted = grant.on(card);
        // A whole card is lost as a whole wherever it is.
        std::int64_t lost = 0;
        if (!wanted.whole) {
          if (!free.classes) free.classes = request_classes(state);
          lost = lost_by(card, free.cards[i], wanted, *free.classes, state.rules());
        }
        ranks.emplace_back(lost, room, i);
        break;
      }
      case Placement::kSpread:
        ranks.emplace_back(free.cards[i].jobs, -room, i);
        break;
      case Placement::kRoundRobin:
        break;  // Above.
    }
  }
  std::ranges::sort(ranks);
  for (std::size_t k = 0; k < cards.size(); ++k) cards[k] = std::get<2>(ranks[k]);
}

// A gang goes to cards that are linked, the smallest group of them that is enough.
void prefer_linked(const StateView& state, std::size_t wanted, std::vector<std::size_t>& cards) {
  if (wanted < 2 || cards.size() <= wanted) return;
  std::map<int, std::size_t> members;
  for (const std::size_t i : cards) {
    if (const auto group = state.cards()[i].link_group) ++members[*group];
  }
  std::optional<int> best;
  for (const auto& [group, count] : members) {
    if (count >= wanted && (!best || count < members[*best])) best = group;
  }
  if (!best) return;
  std::stable_partition(cards.begin(), cards.end(),
                        [&](std::size_t i) { return state.cards()[i].link_group == best; });
}

}  // namespace

std::vector<std::size_t> fitting_cards(const StateView& state, const Tentative& free,
                                       const Needs& needs) {
  std::vector<std::size_t> fitting;
  GrantFor grant(needs);
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    if (free.cards[i].whole) continue;  // On a busy machine most are, and nobody joins them.
    const Card& card = state.cards()[i];
    if (matches(card, needs.cards) && fits_on(card, free.cards[i], grant.on(card), state.rules())) {
      fitting.push_back(i);
    }
  }
  sort_by_choice(state, free, needs, fitting);
  return fitting;
}

bool by_turns(const Rules& rules, const Job& job) {
  return leased_by_turns(job) ||
         (rules.placement == Placement::kRoundRobin && !kind_of(job).has_holder);
}

const char* placement_name(Placement placement) {
  switch (placement) {
    case Placement::kPack:
      return "pack";
    case Placement::kSpread:
      return "spread";
    case Placement::kRoundRobin:
      return "round-robin";
  }
  CHECK(false);
}

std::optional<Placement> placement_named(const std::string& name) {
  for (const Placement one : {Placement::kPack, Placement::kSpread, Placement::kRoundRobin}) {
    if (name == placement_name(one)) return one;
  }
  return std::nullopt;
}

std::optional<Grant> place(const StateView& state, const Tentative& free, const Job& job,
                           const ReservedStart* reserved, Now now) {
  const Needs needs = needs_now(state, job);
  const bool passes = reserved == nullptr || over_by(state, *reserved, job, now);
  const ReservedStart* binding = passes ? nullptr : reserved;
  const auto on_cpus = [&] { return place_on_cpus(state, free, needs, binding); };
  const auto on_cards = [&] { return place_on_cards(state, free, job, needs, binding, now); };
  if (!needs.wants_cards()) return on_cpus();
  if (needs.cpu_use == CpuUse::kNever) return on_cards();
  const bool cpus_first = needs.cpu_use == CpuUse::kPrefer;
  if (auto grant = cpus_first ? on_cpus() : on_cards()) return grant;
  return cpus_first ? on_cards() : on_cpus();
}

std::optional<QuotaStop> kept_off_by_quota(const StateView& state, const Tentative& free,
                                           const Job& job, Now now) {
  if (!state.tenants().any_quota() || !job.spec->needs.wants_cards()) return std::nullopt;
  const Needs needs = needs_now(state, job);
  return quota_against(state, free, job, needs, fitting_cards(state, free, needs), now);
}

}  // namespace gpusched
