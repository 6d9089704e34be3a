#include "cli/commands/verbs.h"
#include "cli/jobs/job_ids.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"

namespace gpusched::cli {
namespace {

int run_show(const Arguments& arguments) {
  auto selection = selection_or_last(arguments);
  if (!selection) return fail(selection.error());
  const Client client = client_of(arguments);
  const Request request{.target = jobs_target(*selection, "", false)};
  if (arguments.has("--json")) return pass_through(client, request);
  return call_and_print(client, request, [](const std::string& body) -> Result<std::string> {
    auto jobs = parse_job_details(body);
    if (!jobs) return failure(jobs.error());
    if (jobs->empty()) note("no job matches");
    const Page page = stdout_page();
    std::string text;
    for (const JobDetails& job : *jobs) {
      if (!text.empty()) text += "\n";
      text += render_details(job, page);
    }
    return text;
  });
}

}  // namespace

constinit const Verb kShowVerb = {
    .name = "show",
    .summary = "everything about jobs",
    .usage = "show [IDS…] [FLAGS]",
    .about = "Without ids: the newest of one's own jobs.",
    .examples =
        "gpusched show\n"
        "gpusched show 7\n"
        "gpusched show 7 --json",
    .sections = kReadingSections,
    .operands = Operands::kJobs,
    .run = run_show,
};

}  // namespace gpusched::cli
