#include "cli/commands/verbs.h"
#include "cli/jobs/change_jobs.h"
#include "cli/shared_flags.h"

namespace gpusched::cli {
namespace {

int run_requeue(const Arguments& arguments) {
  return change_jobs(arguments,
                     {.verb = "requeue", .past = "requeued", .action = "requeue", .makes = true});
}

}  // namespace

constinit const Verb kRequeueVerb = {
    .name = "requeue",
    .summary = "run ended jobs again, or start running ones over",
    .usage = "requeue IDS… [FLAGS]",
    .about = "The job keeps its id and gets a new attempt. A running job is stopped first.",
    .examples =
        "gpusched requeue 7\n"
        "gpusched requeue --all --state failed",
    .sections = kChangingSections,
    .operands = Operands::kJobs,
    .run = run_requeue,
};

}  // namespace gpusched::cli
