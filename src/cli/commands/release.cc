#include "cli/commands/verbs.h"
#include "cli/jobs/change_jobs.h"
#include "cli/shared_flags.h"

namespace gpusched::cli {
namespace {

int run_release(const Arguments& arguments) {
  return change_jobs(arguments, {.verb = "release", .past = "released", .action = "release"});
}

}  // namespace

constinit const Verb kReleaseVerb = {
    .name = "release",
    .summary = "let held jobs start again",
    .usage = "release IDS… [FLAGS]",
    .about =
        "Also for a sweep that the crash guard holds because its first jobs all failed at once.",
    .examples =
        "gpusched release 7\n"
        "gpusched release --array 7",
    .sections = kChangingSections,
    .operands = Operands::kJobs,
    .offer = Offer::kOpenJobs,
    .run = run_release,
};

}  // namespace gpusched::cli
