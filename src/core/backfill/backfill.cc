#include "core/backfill/backfill.h"
#include "core/admit/slow_neighbours.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/admit/admission.h"
#include "core/admit/gang_room.h"
#include "core/state/belief.h"

namespace gpusched {
namespace {

// What runs and what this turn has started, the next to end first. Mostly few ends are waited for,
// so they are put in order only as far as somebody asks.
class Ends {
 public:
  Ends(const StateView& state, const Tentative& free, Now now, Trust trust) {
    const auto end_for = [&](const Job& job, const Grant& grant) {
      const auto* running = std::get_if<Running>(&job.state);
      const Wall since = running ? running->started_at : now.wall;
      return ExpectedEnd{end_of(state, job, now, trust), since, job.id, &grant};
    };
    auto& of_active = free.ends[trust == Trust::kLimits ? 1 : 0];
    if (!of_active) {
      of_active.emplace();
      of_active->reserve(state.active().size());
      for (const JobId id : state.active()) {
        const Job& job = *state.find(id);
        // What is away holds nothing that its end would give back to others first.
        if (aside_phase(job) == AsidePhase::kPaused) continue;
        of_active->push_back(end_for(job, *grant_of(job)));
      }
      std::ranges::make_heap(*of_active, std::greater<>());
    }
    heap_ = *of_active;
    for (const Tentative::Started& started : free.started) {
      heap_.push_back(end_for(*started.job, started.grant));
      std::ranges::push_heap(heap_, std::greater<>());
    }
  }
  bool none() const { return heap_.empty(); }
  const ExpectedEnd& next() const { return heap_.front(); }
  void pop() {
    std::ranges::pop_heap(heap_, std::greater<>());
    heap_.pop_back();
  }

 private:
  std::vector<ExpectedEnd> heap_;
};

std::uint64_t foreign_bytes(const CardView& view) {
  std::uint64_t bytes = 0;
  for (const SeenProcess& process : view.processes) {
    if (!process.attempt) bytes += process.vram_bytes.value_or(0);
  }
  return bytes;
}

// Walks through the ends of what runs, and knows at each of them what is free for one need.
class Ahead {
 public:
  Ahead(const StateView& state, const Tentative& free, const Job& job, bool on_cards, Now now)
      : state_(state),
        cards_(free.cards),
        host_(free.host),
        job_(job),
        needs_(needs_now(state, job)),
        grant_(needs_),
        on_cards_(on_cards),
        any_reserved_(!state.card_reservations().empty()),
        room_(state.cards()) {
    const Wall end = end_of(state, job, now, Trust::kEstimates);
    if (end != kNobodyKnows) lasts_ = end - now.wall;
    since_.resize(cards_.size());
    if (!state.seen().slow_pairs.empty()) {
      slow_.resize(cards_.size());
      for (std::size_t i = 0; i < slow_.size(); ++i) {
        slow_[i] = slow_neighbours(state, free, job, i);
      }
    }
    if (on_cards_ && needs_.gpus.all()) {
      could_ =
          static_cast<std::size_t>(std::ranges::count_if(state_.cards(), [&](const Card& card) {
            return card.usable && could_ever_fit(card, needs_);
          }));
    }
  }

  void look(std::size_t card, Wall at) {
    if (!on_cards_ || cards_[card].whole || since_[card]) return;
    if (!slow_.empty() && slow_[card] > 0) return;
    const Card& found = state_.cards()[card];
    if (!matches(found, needs_.cards)) return;
    if (!fits_on(found, cards_[card], grant_.on(found), state_.rules())) return;
    since_[card] = at;
    room_.offer(card);
  }
  void look_everywhere(Wall at) {
    for (std::size_t i = 0; i < cards_.size(); ++i) look(i, at);
  }
  void give_back(const ExpectedEnd& end, Wall at) {
    const Grant& grant = *end.grant;
    const Job& ended = *state_.find(end.job);
    const bool slow =
        !slow_.empty() && state_.seen().slow_pairs.contains(job_.signature, ended.signature);
    host_.cpus -= grant.cpus;
    host_.ram_bytes -= grant.ram_bytes;
    for (const CardGrant& held : grant.cards) {
      const auto position = state_.index_of(held.card);
      if (!position) continue;
      // Of one that starts in this turn nothing is seen yet.
      if (ended.active()) {
        take_away(state_, ended, held, cards_[*position]);
      } else {
        drop(cards_[*position], held);
      }
      if (slow) --slow_[*position];
      // What nobody owns up to goes with the last job; foreign processes stay.
      if (cards_[*position].jobs == 0) {
        std::uint64_t& ungranted = cards_[*position].ungranted.vram_bytes;
        ungranted = std::min(ungranted, foreign_bytes(state_.view_of(*position)));
      }
      look(*position, at);
    }
  }
  bool enough(Wall at) const {
    if (!room_.holds(wanted()) || !host_fits()) return false;
    return !any_reserved_ || at == kNobodyKnows || chosen(at).size() >= wanted();
  }
  bool host_fits() const {
    return host_.cpus + cpus() <= state_.host().cpus &&
           host_.ram_bytes + needs_.ram_bytes <= state_.host().ram_bytes;
  }
  std::size_t wanted() const {
    if (!on_cards_) return 0;
    const auto least = static_cast<std::size_t>(std::max(1, needs_.gpus.least));
    return needs_.gpus.all() ? std::max(least, could_) : least;
  }
  int cpus() const { return on_cards_ ? needs_.cpus : std::max(1, needs_.cpus); }

  // Of those with room by now the last to have got it: what is free already is left to others as
  // far as possible.
  std::vector<std::size_t> chosen(Wall at) const {
    std::vector<std::size_t> cards;
    for (std::size_t i = 0; i < since_.size(); ++i) {
      if (since_[i] && !is_reserved(i, at)) cards.push_back(i);
    }
    std::ranges::stable_sort(cards, {}, [this](std::size_t i) { return since_[i]; });
    std::ranges::reverse(cards);
    GangRoom room(state_.cards());
    for (const std::size_t i : cards) room.offer(i);
    if (!room.holds(wanted())) return {};
    cards = room.choose(wanted());
    std::ranges::sort(cards);
    return cards;
  }
  std::vector<CardHolds> take_cards() { return std::move(cards_); }
  const HostHolds& host() const { return host_; }

 private:
  // Somebody else has the card at some time of a run that starts then.
  bool is_reserved(std::size_t card, Wall at) const {
    if (!any_reserved_ || at == kNobodyKnows) return false;
    const Wall end = lasts_ ? at + *lasts_ : kNobodyKnows;
    return state_.card_reservations().against(job_, card, at, end) != nullptr;
  }

  const StateView& state_;
  std::vector<CardHolds> cards_;
  HostHolds host_;
  const Job& job_;
  const Needs needs_;
  GrantFor grant_;
  bool on_cards_;
  bool any_reserved_;
  std::optional<Microseconds> lasts_;
  std::vector<std::optional<Wall>> since_;  // When each card first had room.
  GangRoom room_;                           // Of the cards that have it by now.
  std::size_t could_ = 0;
  std::vector<int> slow_;  // Jobs on each card that it would slow down with; empty: nobody would.
};

struct Plan {
  const StateView& state;
  const Tentative& free;
  const Job& job;
  Now now;

  ReservedStart on(bool cards, Ends ends, Trust trust) const {
    const Needs needs = needs_now(state, job);
    Ahead ahead(state, free, job, cards, now);
    ReservedStart reserved{.job = job.id, .trust = trust};
    reserved.cpus = ahead.cpus();
    reserved.ram_bytes = needs.ram_bytes;
    ahead.look_everywhere(now.wall);
    // The end of somebody else's reservation may be what is waited for, too.
    const std::vector<Wall> reserved_until = state.card_reservations().ends_after(now.wall);
    auto reservation = reserved_until.begin();
    Wall at = now.wall;
    while (!ahead.enough(at) && (!ends.none() || reservation != reserved_until.end())) {
      if (reservation != reserved_until.end() && (ends.none() || *reservation < ends.next().at)) {
        at = *reservation++;
        continue;
      }
      at = ends.next().at;
      ahead.give_back(ends.next(), at);
      ends.pop();
      // Those that end at the same known instant count together.
      for (; at != kNobodyKnows && !ends.none() && ends.next().at == at; ends.pop()) {
        ahead.give_back(ends.next(), at);
      }
    }
    // Ends of jobs alone will not do: a foreign process or a card that does not answer is in the
    // way, and nobody waits for those.
    if (!ahead.enough(at)) {
      reserved.cpus = 0;
      reserved.ram_bytes = 0;
    } else {
      if (at != kNobodyKnows) reserved.start = at;
      for (const std::size_t i : ahead.chosen(at)) {
        reserved.cards.push_back(grant_on(state.cards()[i], needs));
      }
    }
    reserved.host_then = ahead.host();
    reserved.cards_then = ahead.take_cards();
    return reserved;
  }
};

bool earlier(const ReservedStart& a, const ReservedStart& b) {
  return a.start.value_or(kNobodyKnows) < b.start.value_or(kNobodyKnows);
}

}  // namespace

ReservedStart reserve_start_for(const StateView& state, const Tentative& free, const Job& job,
                                Now now) {
  const Needs& needs = job.spec->needs;
  // Estimates err, and each time somebody waits longer. Who has waited too long already relies on
  // nothing but limits, which are enforced: that bounds the wait under any arrivals.
  const bool overdue = now.wall - job.submitted_at >= state.rules().overdue_after;
  const Trust trust = overdue ? Trust::kLimits : Trust::kEstimates;
  const Plan plan{state, free, job, now};
  const Ends ends(state, free, now, trust);
  if (!needs.wants_cards()) return plan.on(false, ends, trust);
  ReservedStart on_cards = plan.on(true, ends, trust);
  if (needs.cpu_use == CpuUse::kNever) return on_cards;
  ReservedStart on_cpus = plan.on(false, ends, trust);
  return earlier(on_cpus, on_cards) ? on_cpus : on_cards;
}

bool over_by(const StateView& state, const ReservedStart& reserved, const Job& job, Now now) {
  return reserved.start && end_of(state, job, now, reserved.trust) <= *reserved.start;
}

BestRoom room_beside(const StateView& state, const Tentative& free, const ReservedStart& reserved) {
  // A job whose own card is reserved need not leave it to the first in order.
  const bool kept = !state.card_reservations().empty();
  // Beside a need for the whole card there is no room; beside another there may be.
  static const std::vector<CardGrant> kNone;
  return best_room(state.cards(), free.cards, state.rules(), kept ? kNone : reserved.cards);
}

bool leaves_room_for(const StateView& state, const ReservedStart& reserved, std::size_t card_index,
                     const CardGrant& wanted) {
  const Card& card = state.cards()[card_index];
  const auto wanted_there = std::ranges::find(reserved.cards, card.number, &CardGrant::card);
  if (wanted_there == reserved.cards.end()) return true;
  CardHolds then = reserved.cards_then[card_index];
  add(then, wanted);
  return fits_on(card, then, *wanted_there, state.rules());
}

bool leaves_room_for(const StateView& state, const ReservedStart& reserved, int cpus,
                     std::uint64_t ram_bytes) {
  const HostHolds& then = reserved.host_then;
  const bool cpus_stay =
      cpus == 0 || reserved.cpus == 0 || then.cpus + cpus + reserved.cpus <= state.host().cpus;
  const bool ram_stays = ram_bytes == 0 || reserved.ram_bytes == 0 ||
                         then.ram_bytes + ram_bytes + reserved.ram_bytes <= state.host().ram_bytes;
  return cpus_stay && ram_stays;
}

void stays(const StateView& state, ReservedStart& reserved, const Grant& grant) {
  for (const CardGrant& held : grant.cards) {
    if (const auto position = state.index_of(held.card)) add(reserved.cards_then[*position], held);
  }
  reserved.host_then.cpus += grant.cpus;
  reserved.host_then.ram_bytes += grant.ram_bytes;
}

}  // namespace gpusched
