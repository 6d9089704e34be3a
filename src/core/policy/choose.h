// Reference policies: which of the jobs that could run do run, and where, as pure functions of
// small values. For comparison in `gpusched simulate`; docs/simulate.md has the exact semantics.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/time.h"
#include "core/policy/node_layout.h"

namespace gpusched::policy {

// A job as a policy sees it.
struct Contender {
  std::size_t job = 0;  // The caller's number for it, in order of submission.
  int cards = 1;
  int band = 0;               // The smaller goes first, where a policy looks at it.
  Microseconds total{0};      // All its work; what a policy that knows durations goes by.
  Microseconds remaining{0};  // Work that is left.
  Microseconds attained{0};   // Time on cards so far.
  bool running = false;
  Places places = {};  // Where it runs.
};

// Who comes first; the jobs themselves are not copied.
using Order = std::span<const Contender* const>;

struct Chosen {
  std::size_t job = 0;
  Places places;
};

enum class OnMisfit {
  kStop,  // Nobody passes the first that does not fit.
  kSkip,  // Whatever fits, fits.
};
struct PlacementRule {
  Fit fit = Fit::kFirst;
  // True: where a running job goes on does not matter. False: it keeps its cards where it can, and
  // others avoid them while there is room elsewhere.
  bool moves_are_free = true;
};

// Starts of waiting jobs, in the order given, beside what runs. Nothing is stopped.
std::vector<Chosen> choose_starts(Order waiting, NodeLayout layout, OnMisfit on_misfit, Fit fit);

// All jobs that shall run from now on, running ones included: those not chosen are stopped.
// `layout` is the empty machine.
std::vector<Chosen> choose_all(Order in_order, const NodeLayout& layout, PlacementRule rule);

// EASY backfill: starts in order up to the first that does not fit. It could start at the *shadow
// time*, when enough of what runs will have ended; later ones start now if they fit and are over
// by then, or leave enough for it at that time. `running` need not be sorted.
std::vector<Chosen> choose_easy(Order waiting, Order running, NodeLayout layout, Fit fit);

}  // namespace gpusched::policy
