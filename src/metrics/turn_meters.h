// How long the engine's turns and the store's commits take.
#pragma once

#include <cstdint>

#include "metrics/exposition.h"

namespace gpusched::metrics {

struct TurnMeters {
  Histogram turn{kShortBounds};    // Events, decisions and what is to be written of them.
  Histogram commit{kShortBounds};  // From handing it over until it is on disk, or has failed.
  std::uint64_t commits_failed = 0;

  void write(Exposition& out) const {
    out.family({.name = "gpusched_turn_seconds",
                .type = Type::kHistogram,
                .help = "What a turn of the scheduler takes of the loop.",
                .unit = "seconds"});
    out.add({}, turn);
    out.family({.name = "gpusched_store_commit_seconds",
                .type = Type::kHistogram,
                .help = "From handing a commit to the store until it is on disk, or has failed.",
                .unit = "seconds"});
    out.add({}, commit);
    out.family({.name = "gpusched_store_commit_failures_total",
                .type = Type::kCounter,
                .help = "Commits that the store did not take."});
    out.add({}, commits_failed);
  }
};

}  // namespace gpusched::metrics
