// The first job that does not fit gets a reservation: later ones may pass it only where they
// cannot delay it. Time limits are what is known about ends here; estimates join them later.
#pragma once

#include <optional>
#include <vector>

#include "core/admission.h"
#include "core/state.h"
#include "core/tentative.h"

namespace gpusched {

struct Reservation {
  JobId job{};
  std::vector<CardGrant> cards;  // What it will hold, on the cards it waits for.
  bool cpus = false;             // It waits for CPUs, or for RAM.
  bool ram = false;
  std::optional<Wall> start;  // When it can start by the time limits of what runs; unknown: none.
};

Reservation reserve_for(const State& state, const Tentative& free, const Job& job, Now now);

// A job that will be over by the reserved start delays nobody.
bool over_by(const Reservation& reservation, const Job& job, Now now);
// What is left to those who will not be over by then.
BestRoom room_beside(const State& state, const Tentative& free, const Reservation& reservation);
// The reserved need on this card, if the reservation includes it.
const CardGrant* reserved_on(const Reservation& reservation, CardNumber card);

}  // namespace gpusched
