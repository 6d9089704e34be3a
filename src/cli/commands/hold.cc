#include "cli/commands/verbs.h"
#include "cli/jobs/change_jobs.h"
#include "cli/shared_flags.h"

namespace gpusched::cli {
namespace {

int run_hold(const Arguments& arguments) {
  return change_jobs(arguments, {.verb = "hold", .past = "held", .action = "hold"});
}

}  // namespace

constinit const Verb kHoldVerb = {
    .name = "hold",
    .summary = "keep waiting jobs from starting",
    .usage = "hold IDS… [FLAGS]",
    .about =
        "A held job keeps its place in the order and does not start until it is released. A "
        "running job\n"
        "is not touched.",
    .examples =
        "gpusched hold 7-12\n"
        "gpusched hold --all --tag paper",
    .sections = kChangingSections,
    .operands = Operands::kJobs,
    .offer = Offer::kOpenJobs,
    .run = run_hold,
};

}  // namespace gpusched::cli
