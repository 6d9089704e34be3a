#include "cli/commands/verbs.h"
#include "cli/jobs/change_jobs.h"
#include "cli/shared_flags.h"

namespace gpusched::cli {
namespace {

int run_pause(const Arguments& arguments) {
  return change_jobs(arguments, {.verb = "pause", .past = "paused", .action = "pause"});
}

}  // namespace

constinit const Verb kPauseVerb = {
    .name = "pause",
    .summary = "move running jobs aside until they are resumed",
    .usage = "pause IDS… [FLAGS]",
    .about =
        "Where the driver can do it, what the job has in VRAM moves to host RAM and its cards are "
        "free for\n"
        "others. Elsewhere it is frozen and keeps its VRAM. Its time limit stands still.",
    .examples =
        "gpusched pause 7\n"
        "gpusched pause --group sweep",
    .sections = kChangingSections,
    .operands = Operands::kJobs,
    .offer = Offer::kOpenJobs,
    .run = run_pause,
};

}  // namespace gpusched::cli
