// The first job that does not fit gets a reservation: later ones may pass it only where they
// cannot delay it (EASY backfill). It is planned anew in every turn and never stored.
//
// With known ends the reserved start is the first instant at which enough is free for the job. What
// passes must be over by then, or leave the job's need free beside whatever else still runs then:
// so the reserved start never moves back by anything that passed. Jobs of which nobody knows when
// they end are waited for last, the oldest first; with one of those in the way there is no such
// instant, and all that passes must leave room.
#pragma once

#include <optional>
#include <vector>

#include "core/admit/admission.h"
#include "core/admit/tentative.h"
#include "core/state/run_time.h"
#include "core/state/state_view.h"

namespace gpusched {

struct ReservedStart {
  JobId job{};
  std::vector<CardGrant> cards;  // What it will hold, on the cards it waits for.
  int cpus = 0;                  // What it will hold of the host.
  std::uint64_t ram_bytes = 0;
  std::optional<Wall> start;  // None: nobody knows.
  Trust trust = Trust::kEstimates;
  // What others hold at the start, those that have passed included; in the order of State::cards().
  std::vector<CardHolds> cards_then;
  HostHolds host_then;
};

ReservedStart reserve_start_for(const StateView& state, const Tentative& free, const Job& job,
                                Now now);

// A job that will be over by the reserved start delays nobody.
bool over_by(const StateView& state, const ReservedStart& reserved, const Job& job, Now now);
// What is left to those who will not be; no less than they could be given.
BestRoom room_beside(const StateView& state, const Tentative& free, const ReservedStart& reserved);
// One that will not be: what it may be given so that the reserved need still fits beside it.
bool leaves_room_for(const StateView& state, const ReservedStart& reserved, std::size_t card_index,
                     const CardGrant& wanted);
bool leaves_room_for(const StateView& state, const ReservedStart& reserved, int cpus,
                     std::uint64_t ram_bytes);
// It passes and stays beyond the start: those behind it must leave room beside it, too.
void stays(const StateView& state, ReservedStart& reserved, const Grant& grant);

}  // namespace gpusched
