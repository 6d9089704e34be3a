// The return of jobs that were moved aside. It is a decision like any start: room first, in order.
// A job that waits aside goes before the waiting jobs of its own band, so newcomers cannot keep it
// away; after a time it goes before everybody.
#pragma once

#include <vector>

#include "core/reservation.h"
#include "core/state.h"
#include "core/tentative.h"

namespace gpusched {

struct Return {
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
std::vector<Waiting> waiting_aside(const State& state, Now now);
// It is away and wants to return.
bool waits_aside(const Job& job);

// There is room for all of it on its cards and on the host, and nobody who is reserved for has to
// wait longer.
bool may_return(const State& state, const Tentative& free, const Job& job,
                const Reservation* reservation, Now now);
// Its cards are kept for it from those who come after it.
void keep_its_place(const State& state, const Job& job, Tentative& free);
bool still_valid(const State& state, const Return& back, Now now);

}  // namespace gpusched
