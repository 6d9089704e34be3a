#include "cli/commands/verbs.h"
#include "cli/jobs/change_jobs.h"
#include "cli/shared_flags.h"

namespace gpusched::cli {
namespace {

int run_resume(const Arguments& arguments) {
  return change_jobs(arguments, {.verb = "resume", .past = "resumed", .action = "resume"});
}

}  // namespace

constinit const Verb kResumeVerb = {
    .name = "resume",
    .summary = "let paused jobs go on where they were",
    .usage = "resume IDS… [FLAGS]",
    .about =
        "A job returns to the cards it had, as soon as there is room on them; before the waiting "
        "jobs of its\n"
        "band. Jobs that were moved aside for a more important one return by themselves.",
    .examples =
        "gpusched resume 7\n"
        "gpusched resume --all",
    .sections = kChangingSections,
    .operands = Operands::kJobs,
    .offer = Offer::kOpenJobs,
    .run = run_resume,
};

}  // namespace gpusched::cli
