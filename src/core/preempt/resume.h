// The return of jobs that were moved aside. It is a decision like any start: room first, in order.
// A job that waits aside goes before the waiting jobs of its own band, so newcomers cannot keep it
// away; after a time it goes before everybody.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/admit/tentative.h"
#include "core/backfill/backfill.h"
#include "core/model/lack.h"
#include "core/state/state_view.h"

namespace gpusched {

struct Resume {
  JobId job{};
};

// Those that wait aside for room, in the order in which they return. Each goes before the waiting
// jobs of band B if `before` is no more than 2 B. One that has had much of the cards comes after
// those of its own band, where the rules look at that; an idle holder that nobody has missed after
// all.
struct Waiting {
  const Job* job = nullptr;
  int before = 0;
};
std::vector<Waiting> waiting_aside(const StateView& state, Now now);
// It is away and wants to return.
bool waits_aside(const Job& job);

// There is room for all of it on its cards and on the host, and nobody who is reserved for has to
// wait longer.
bool may_return(const StateView& state, const Tentative& free, const Job& job,
                const ReservedStart* reserved, Now now);
// Its cards are kept for it from those who come after it.
void keep_its_place(const StateView& state, const Job& job, Tentative& free);

// Jobs that are frozen keep their memory, so one that was moved out may wait for them. They must
// not wait for its place in turn: nobody would ever go on.
class FrozenJobs {
 public:
  explicit FrozenJobs(const StateView& state) : state_(state) {}
  // Frozen jobs on its cards that want to go on, and without whose end it cannot return. In order
  // of their ids; empty: it waits for none of them.
  std::vector<const Job*> in_the_way_of(const Job& job) const;
  // It would be back if all that runs, and all that wants to go on, had ended. If not, somebody has
  // to do something first, and its place is kept from nobody.
  bool has_an_end(const Job& job) const;

 private:
  bool fits_beside(const Job& job, const std::vector<CardHolds>& still) const;
  const std::vector<CardHolds>& left(bool without_waiting) const;

  const StateView& state_;
  // What is left of the cards' use without what runs; and without what wants to go on, too.
  mutable std::optional<std::vector<CardHolds>> frozen_, stopped_;
};
// One sentence for people: what keeps a job from its cards that waits aside. Empty: nothing does.
// What is missing for it on one of its cards, beside these holds.
CardLack lack_for_return(const StateView& state, const Job& job, const CardGrant& held,
                         std::size_t position, const CardHolds& holds);
std::string what_keeps_away(const StateView& state, const Job& job, Now now);
bool still_valid(const StateView& state, const Resume& back, Now now);

}  // namespace gpusched
