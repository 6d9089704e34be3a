#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands/verbs.h"
#include "cli/foreground.h"
#include "cli/jobs/job_ids.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/views/views.h"

namespace gpusched::cli {
namespace {

Result<JobDetails> job_to_attach(const Client& client, const Selection& selection) {
  auto ids = resolve_ids(client, selection);
  if (!ids) return failure(ids.error());
  if (ids->size() != 1) {
    return failure(ErrorCode::kInvalid, "one job at a time: gpusched attach 7");
  }
  auto body = client.call({.target = fmt::format("/v1/jobs/{}", ids->front())});
  if (!body) return failure(body.error());
  auto jobs = parse_job_details(*body);
  if (!jobs) return failure(jobs.error());
  if (jobs->empty()) return failure(ErrorCode::kNotFound, "that job is gone");
  return std::move(jobs->front());
}

int run_attach(const Arguments& arguments) {
  if (arguments.has("--json")) {
    return fail({ErrorCode::kInvalid, "attach shows what the job writes and has no --json form"});
  }
  auto selection = selection_or_last(arguments);
  if (!selection) return fail(selection.error());
  const Client client = client_of(arguments);
  auto job = job_to_attach(client, *selection);
  if (!job) return fail(job.error());
  if (!job->private_shown) {
    return fail({ErrorCode::kForbidden,
                 fmt::format("job {} belongs to {}; only its owner and administrators attach to it",
                             job->id, job->user)});
  }
  if (job->asked.attach == Attach::kNone) {
    return fail({ErrorCode::kConflict,
                 fmt::format("job {} has no terminal: run starts jobs that have one; follow its "
                             "output with: gpusched logs -f {}",
                             job->id, job->id)});
  }
  return stay_with(client, job->id, Staying::kComingBack);
}

}  // namespace

constinit const Verb kAttachVerb = {
    .name = "attach",
    .summary = "back to a job of run that was detached with Ctrl-] d",
    .usage = "attach [ID] [FLAGS]",
    .about =
        "Without an id: the newest of one's own jobs. Shows its last lines, then input, output, "
        "window\n"
        "size and Ctrl-C are the job's again. Ctrl-] d detaches once more; Ctrl-] twice is one for "
        "the\n"
        "job. A job that was detached goes on, too, when its client is ended by a signal or its "
        "terminal\n"
        "goes away.",
    .examples =
        "gpusched attach\n"
        "gpusched attach 7",
    .sections = kPlainSections,
    .operands = Operands::kJobs,
    .run = run_attach,
    .whole_there = true,
    .over_network = true,
};

}  // namespace gpusched::cli
