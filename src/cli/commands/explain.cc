#include <fmt/format.h>

#include "cli/commands/verbs.h"
#include "cli/jobs/job_ids.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"

namespace gpusched::cli {
namespace {

Result<std::string> explain_end(const Client& client, std::uint64_t id) {
  auto body = client.call({.target = fmt::format("/v1/jobs/{}", id)});
  if (!body) return failure(body.error());
  auto jobs = parse_job_details(*body);
  if (!jobs) return failure(jobs.error());
  return jobs->empty() ? std::string() : render_ended(jobs->front(), stdout_page());
}

int run_explain(const Arguments& arguments) {
  auto selection = selection_or_last(arguments);
  if (!selection) return fail(selection.error());
  const Client client = client_of(arguments);
  auto ids = resolve_ids(client, *selection);
  if (!ids) return fail(ids.error());
  if (ids->empty()) note("no job matches");
  for (const std::uint64_t id : *ids) {
    const Request request{.target = fmt::format("/v1/jobs/{}/explain", id)};
    const int code =
        arguments.has("--json")
            ? pass_through(client, request)
            : call_and_print(client, request, [&](const std::string& body) -> Result<std::string> {
                auto view = parse_explain(body);
                if (!view) return failure(view.error());
                const bool ended = view->state == "completed" || view->state == "failed" ||
                                   view->state == "cancelled";
                return ended ? explain_end(client, view->id) : render_explain(*view, stdout_page());
              });
    if (code != kExitOk) return code;
  }
  return kExitOk;
}

}  // namespace

constinit const Verb kExplainVerb = {
    .name = "explain",
    .summary = "why a job waits, until when, what would help; of one that ended, how",
    .usage = "explain [IDS…] [FLAGS]",
    .about = "Without ids: the newest of one's own jobs. With --json: one line per job.",
    .examples =
        "gpusched explain\n"
        "gpusched explain 7",
    .sections = kReadingSections,
    .operands = Operands::kJobs,
    .run = run_explain,
};

}  // namespace gpusched::cli
