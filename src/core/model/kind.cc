#include "core/model/kind.h"

namespace gpusched {
namespace {

constexpr Kind kCommand{.name = "command",
                        .started_here = true,
                        .has_shim = true,
                        .may_freeze = true,
                        .moves_busy = true,
                        .teaches = true,
                        .lasts_as_before = true,
                        .not_let_go = "was not adopted; cancel is what ends it"};

constexpr Kind kLease{.name = "lease",
                      .has_holder = true,
                      .outlives_job = true,
                      .teaches = true,
                      .outlasts_machine = false,
                      .started = "its holder has it",
                      .no_command = "is a lease; it has no command",
                      .not_let_go = "is a lease; release is what ends it",
                      .not_again = "is a lease; its holder has to ask for another one",
                      .no_log = "is a lease; what its holder writes goes where the holder says"};

constexpr Kind kAdopted{.name = "adopted",
                        .has_shim = true,
                        .may_freeze = true,
                        .moves_busy = true,
                        .outlives_job = true,
                        .lasts_as_before = true,
                        .started = "its process is watched over",
                        .not_again = "was adopted: only its owner can start it again",
                        .no_log = "was adopted; what it writes goes where it went before"};

}  // namespace

const Kind& kind_of(const JobSpec& spec) {
  if (spec.lease) return kLease;
  return spec.adopted ? kAdopted : kCommand;
}

}  // namespace gpusched
