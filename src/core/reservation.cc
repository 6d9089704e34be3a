#include "core/reservation.h"

#include <algorithm>

#include "core/admission.h"
#include "core/gang_room.h"

namespace gpusched {
namespace {

constexpr Wall kUnknown = Wall::max();

// When a running job is over at the latest, by its own limit.
Wall latest_end_of(const Job& job, Now now) {
  const TimeRule& time = job.spec->time;
  if (time.limit == Seconds{0}) return kUnknown;
  const auto* running = std::get_if<Running>(&job.state);
  const Wall started = running ? running->started_at : now.wall;
  return std::max(now.wall, started + time.limit + time.grace);
}

struct End {
  Wall at{};
  const Job* job = nullptr;
  const Grant* grant = nullptr;
};

std::vector<End> ends_in_order(const State& state, const Tentative& free, Now now) {
  std::vector<End> ends;
  for (const JobId id : state.active()) {
    const Job* job = state.find(id);
    ends.push_back({latest_end_of(*job, now), job, grant_of(*job)});
  }
  for (const Tentative::Started& started : free.started) {
    ends.push_back({latest_end_of(*started.job, now), started.job, &started.grant});
  }
  std::ranges::sort(ends, [](const End& a, const End& b) {
    return std::pair(a.at, a.job->id) < std::pair(b.at, b.job->id);
  });
  return ends;
}

void give_back(const State& state, const Grant& grant, std::vector<CardHolds>& cards) {
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    if (!position) continue;
    CardHolds& holds = cards[*position];
    holds.vram_bytes -= held.vram_bytes;
    holds.share_percent -= held.share_percent;
    --holds.jobs;
    if (held.whole) holds.whole = false;
  }
}

}  // namespace

Reservation reserve_for(const State& state, const Tentative& free, const Job& job, Now now) {
  const Needs& needs = job.spec->needs;
  Reservation reservation{.job = job.id};
  reservation.cpus = free.host.cpus + needs.cpus > state.host().cpus;
  reservation.ram = free.host.ram_bytes + needs.ram_bytes > state.host().ram_bytes;
  if (!needs.wants_cards()) return reservation;

  // Walk the ends in order and note when each card first has room, until they are enough.
  GangRoom room(state.cards());
  std::vector<bool> found(state.cards().size(), false);
  std::vector<CardHolds> cards = free.cards;
  std::size_t count = 0;
  const auto look = [&](std::size_t i) {
    if (cards[i].whole) return;
    const Card& card = state.cards()[i];
    if (found[i] || !matches(card, needs.cards)) return;
    if (!fits_on(card, cards[i], grant_on(card, needs), state.rules())) return;
    found[i] = true;
    ++count;
    room.offer(i);
  };
  for (std::size_t i = 0; i < cards.size(); ++i) look(i);
  const auto least = static_cast<std::size_t>(std::max(1, needs.gpus.least));
  Wall at = now.wall;
  for (const End& end : ends_in_order(state, free, now)) {
    if (!needs.gpus.all() && room.holds(least)) break;
    give_back(state, *end.grant, cards);
    at = end.at;
    for (const CardGrant& held : end.grant->cards) {
      if (const auto position = state.index_of(held.card)) look(*position);
    }
  }
  const std::size_t wanted = needs.gpus.all() ? count : least;
  // Ends of jobs alone will not do: a foreign process or a card that does not answer is in the way,
  // and nobody waits for those.
  if (wanted == 0 || !room.holds(wanted)) return reservation;
  for (const std::size_t i : room.choose(wanted)) {
    reservation.cards.push_back(grant_on(state.cards()[i], needs));
  }
  if (!reservation.cpus && !reservation.ram && at != kUnknown) reservation.start = at;
  return reservation;
}

bool over_by(const Reservation& reservation, const Job& job, Now now) {
  const TimeRule& time = job.spec->time;
  return reservation.start && time.limit > Seconds{0} &&
         now.wall + time.limit + time.grace <= *reservation.start;
}

BestRoom room_beside(const State& state, const Tentative& free, const Reservation& reservation) {
  std::vector<CardHolds> holds = free.cards;
  for (const CardGrant& reserved : reservation.cards) {
    const auto position = state.index_of(reserved.card);
    // Beside a need for the whole card there is no room; beside another there may be.
    if (position && reserved.whole) holds[*position].whole = true;
  }
  return best_room(state.cards(), holds, state.rules());
}

const CardGrant* reserved_on(const Reservation& reservation, CardNumber card) {
  const auto found = std::ranges::find(reservation.cards, card, &CardGrant::card);
  return found == reservation.cards.end() ? nullptr : &*found;
}

}  // namespace gpusched
