#include <fmt/format.h>

#include <algorithm>

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

// More than so many are answered together.
constexpr std::uint64_t kOneByOneMost = 10;

int explain_each(const Arguments& arguments, const Client& client, std::uint64_t id) {
  const Request request{.target = fmt::format("/v1/jobs/{}/explain", id)};
  if (arguments.has("--json")) return pass_through(client, request);
  return call_and_print(client, request, [&](const std::string& body) -> Result<std::string> {
    auto view = parse_explain(body);
    if (!view) return failure(view.error());
    const bool ended =
        view->state == "completed" || view->state == "failed" || view->state == "cancelled";
    return ended ? explain_end(client, view->id) : render_explain(*view, stdout_page());
  });
}

int run_explain(const Arguments& arguments) {
  auto selection = selection_or_last(arguments);
  if (!selection) return fail(selection.error());
  const Client client = client_of(arguments);
  auto body = client.call({.target = jobs_target(*selection, "explain", false)});
  if (!body) return fail(body.error());
  auto together = parse_explained_together(*body);
  if (!together) return fail(together.error());
  if (!together->together) {
    auto one = parse_explain(*body);
    return one ? explain_each(arguments, client, one->id) : fail(one.error());
  }
  if (together->count == 0) note("no job matches");
  if (together->count > kOneByOneMost) {
    const std::string text = arguments.has("--json")
                                 ? *body + "\n"
                                 : render_explained_together(*together, stdout_page());
    auto printed = print(text);
    return printed ? kExitOk : fail(printed.error());
  }
  std::vector<std::uint64_t> ids;
  for (const AlikeView& alike : together->groups) {
    ids.insert(ids.end(), alike.jobs.begin(), alike.jobs.end());
  }
  std::ranges::sort(ids);
  for (const std::uint64_t id : ids) {
    if (const int code = explain_each(arguments, client, id); code != kExitOk) return code;
  }
  return kExitOk;
}

}  // namespace

constinit const Verb kExplainVerb = {
    .name = "explain",
    .summary = "why a job waits, until when, what would help; of one that ended, how",
    .usage = "explain [IDS…] [FLAGS]",
    .about =
        "Without ids: the newest of one's own jobs. More than 10 jobs are answered together, by "
        "what\n"
        "they wait for. With --json: one line per job, or one for all of more than 10.",
    .examples =
        "gpusched explain\n"
        "gpusched explain 7\n"
        "gpusched explain --array 134",
    .sections = kReadingSections,
    .operands = Operands::kJobs,
    .run = run_explain,
};

}  // namespace gpusched::cli
