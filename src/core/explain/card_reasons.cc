// Why no card, or not enough of the host, is to be had for a job: the part of explain.h that asks
// admission.
#include "core/explain/card_reasons.h"
#include "core/admit/foreign_holders.h"
#include "core/admit/slow_neighbours.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "core/admit/admission.h"
#include "core/place/placement.h"
#include "core/state/belief.h"
#include "core/state/run_time.h"

namespace gpusched {
namespace {

bool is_lacking(const Reason& reason, CardNumber card) {
  return std::ranges::find(reason.lacks, card, &CardLack::card) != reason.lacks.end();
}

// What is missing on each of the cards that would do for the job.
void add_lacks(const StateView& state, const Tentative& free, const Needs& needs, Reason& reason) {
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    const Card& card = state.cards()[i];
    if (!card.usable || !could_ever_fit(card, needs)) continue;
    const CardGrant grant = grant_on(card, needs);
    const CardLack lack = lack_on(card, free.cards[i], grant, state.rules());
    if (lack.what == Lack::kNothing) continue;
    if (reason.lacks.empty() && !grant.whole) {
      reason.vram_bytes = grant.vram_bytes;
      reason.share_percent = grant.share_percent;
    }
    reason.lacks.push_back(lack);
  }
}

// Who is on the cards where something is missing, and who of them is over first.
void add_holders(const StateView& state, Now now, Reason& reason) {
  Wall soonest = kNobodyKnows;
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    const bool away = held_by(job).cards.empty();
    const Grant& grant = *grant_of(job);
    const bool in_the_way = std::ranges::any_of(grant.cards, [&](const CardGrant& held) {
      const auto position = state.index_of(held.card);
      if (away && (!position || seen_while_away(state, job, *position) == 0)) return false;
      return is_lacking(reason, held.card);
    });
    if (!in_the_way) continue;
    if (reason.jobs.size() < kNamedMost) reason.jobs.push_back(id);
    const Wall end = end_of(state, job, now, Trust::kEstimates);
    if (end >= soonest) continue;
    soonest = end;
    reason.soonest = {.job = id,
                      .cards = grant.cards.size(),
                      .in = end - now.wall,
                      .limit = end == end_of(state, job, now, Trust::kLimits)};
  }
}

constexpr std::size_t kForeignMost = 3;

void add_foreign(const StateView& state, Now now, Reason& reason) {
  for (const CardLack& lack : reason.lacks) {
    // Where jobs have the compute, or the card, nobody else is to blame.
    const bool memory = lack.what != Lack::kCompute && lack.what != Lack::kSharing &&
                        lack.what != Lack::kJobsMost && lack.what != Lack::kGrowth;
    if (memory)
      std::ranges::move(foreign_holders(state, lack, now), std::back_inserter(reason.foreign));
  }
  sort_by_harm(reason.foreign);
  if (reason.foreign.size() > kForeignMost) reason.foreign.resize(kForeignMost);
}

// Why the first card that would do is not to be had at all.
std::string why_unusable(const StateView& state, const Needs& needs) {
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    const Card& card = state.cards()[i];
    if (card.usable || !could_ever_fit(card, needs)) continue;
    const std::string name = "card " + std::to_string(number_of(card.number));
    if (card.drained) {
      const auto drain = state.drains().find(card.uuid);
      const bool said = drain != state.drains().end() && !drain->second.reason.empty();
      return name + " is drained" + (said ? " (" + drain->second.reason + ")" : "");
    }
    const std::string& reason = state.view_of(i).reason;
    return name + (reason.empty() ? " is not known yet" : ": " + reason);
  }
  return {};
}

// There are cards enough, but some are kept for others.
void reservation_reason(const StateView& state, const Job& job,
                        const std::vector<std::size_t>& fitting, std::uint64_t wanted, Now now,
                        std::vector<Reason>& reasons) {
  if (state.card_reservations().empty()) return;
  const Wall end = end_of(state, job, now, Trust::kEstimates);
  const Reservation* first = nullptr;
  std::uint64_t open = 0;
  for (const std::size_t i : fitting) {
    const Reservation* reservation = state.card_reservations().against(job, i, now.wall, end);
    open += reservation == nullptr ? 1 : 0;
    if (first == nullptr) first = reservation;
  }
  if (open >= wanted || first == nullptr) return;
  Reason reason{
      .code = ReasonCode::kCardsReserved, .jobs = {}, .wanted = wanted, .available = open};
  reason.until = first->from > now.wall ? first->from : first->until;
  reason.name = describe_reservation(*first, state.cards(), now.wall);
  reasons.push_back(std::move(reason));
}

// There are cards enough, but on some are jobs that it slows down with.
void slow_pair_reason(const StateView& state, const Tentative& free, const Job& job,
                      const std::vector<std::size_t>& fitting, std::uint64_t wanted,
                      std::vector<Reason>& reasons) {
  if (state.seen().slow_pairs.empty()) return;
  std::uint64_t open = 0;
  for (const std::size_t i : fitting) {
    open += slow_neighbours(state, free, job, i) == 0 ? 1 : 0;
  }
  if (open >= wanted) return;
  Reason reason{.code = ReasonCode::kSlowPair, .jobs = {}, .wanted = wanted, .available = open};
  for (const JobId id : state.active()) {
    const Job& other = *state.find(id);
    const bool pair = state.seen().slow_pairs.contains(job.signature, other.signature);
    if (pair && reason.jobs.size() < kNamedMost) reason.jobs.push_back(id);
  }
  reasons.push_back(std::move(reason));
}

// Who has most of it comes first.
template <class Amount>
void add_host_holders(const StateView& state, Amount amount, Reason& reason) {
  for (const JobId id : state.active()) {
    const std::uint64_t has = amount(held_by(*state.find(id)));
    if (has > 0) reason.holders.push_back({id, has});
  }
  std::ranges::stable_sort(reason.holders, std::greater{}, &HostHolder::amount);
  if (reason.holders.size() > kNamedMost) reason.holders.resize(kNamedMost);
  for (const HostHolder& one : reason.holders) reason.jobs.push_back(one.job);
  std::ranges::sort(reason.jobs);
}

}  // namespace

void card_reasons(const StateView& state, const Tentative& free, const Job& job, Now now,
                  std::vector<Reason>& reasons) {
  const Needs needs = needs_now(state, job);
  const auto usable = static_cast<std::uint64_t>(std::ranges::count_if(
      state.cards(), [&](const Card& card) { return card.usable && could_ever_fit(card, needs); }));
  const auto wanted = needs.gpus.all() ? std::max<std::uint64_t>(1, usable)
                                       : static_cast<std::uint64_t>(std::max(1, needs.gpus.least));
  if (usable < wanted) {
    reasons.push_back(
        {.code = ReasonCode::kNoSuchCard, .jobs = {}, .wanted = wanted, .available = usable});
    reasons.back().name = why_unusable(state, needs);
    reasons.back().cards_missing = state.cards_missing();
    return;
  }
  const std::vector<std::size_t> fitting_now = fitting_cards(state, free, needs);
  const std::uint64_t fitting = fitting_now.size();
  if (fitting >= wanted) {
    slow_pair_reason(state, free, job, fitting_now, wanted, reasons);
    reservation_reason(state, job, fitting_now, wanted, now, reasons);
    return;
  }
  Reason reason{.code = ReasonCode::kCards, .jobs = {}, .wanted = wanted, .available = fitting};
  add_lacks(state, free, needs, reason);
  add_holders(state, now, reason);
  add_foreign(state, now, reason);
  reason.cards_missing = state.cards_missing();
  reasons.push_back(std::move(reason));
}

void host_reasons(const StateView& state, const Needs& needs, std::vector<Reason>& reasons) {
  const auto cpus_free = state.host().cpus - state.host_holds().cpus;
  const int cpus = needs.wants_cards() ? needs.cpus : std::max(1, needs.cpus);
  if (cpus > cpus_free) {
    reasons.push_back({.code = ReasonCode::kCpus,
                       .jobs = {},
                       .wanted = static_cast<std::uint64_t>(cpus),
                       .available = static_cast<std::uint64_t>(std::max(0, cpus_free))});
    add_host_holders(
        state, [](const Grant& grant) { return static_cast<std::uint64_t>(grant.cpus); },
        reasons.back());
  }
  const std::uint64_t held = state.host_holds().ram_bytes;
  const std::uint64_t ram_free = state.host().ram_bytes - std::min(held, state.host().ram_bytes);
  if (needs.ram_bytes > ram_free) {
    reasons.push_back(
        {.code = ReasonCode::kRam, .jobs = {}, .wanted = needs.ram_bytes, .available = ram_free});
    add_host_holders(
        state, [](const Grant& grant) { return grant.ram_bytes; }, reasons.back());
  }
}

}  // namespace gpusched
