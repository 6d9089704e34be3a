#include <fmt/format.h>

#include <array>

#include "cli/commands/verbs.h"
#include "cli/jobs/job_ids.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"

namespace gpusched::cli {
namespace {

constexpr std::array kShowFlags = {
    Flag{"--expand", 'x', FlagKind::kSwitch, "", "every job of a sweep, not one sheet for all"},
};
constexpr std::array<FlagSection, 3> kShowSections = {FlagSection{"What", kShowFlags},
                                                      FlagSection{"Which jobs", kLookFlags},
                                                      FlagSection{"General", kCommonFlags}};
// Ids that fit the request line of every daemon.
constexpr std::size_t kShownAtOnce = 500;

// How the sweep of a job stands; empty: it has none, or its other jobs are gone.
std::string sweep_words(const Client& client, const JobView& job) {
  if (!job.array) return "";
  auto body = client.call({.target = fmt::format("/v1/sweeps/{}", job.id)});
  auto sweep = body ? parse_sweep(*body) : failure(body.error());
  if (!sweep || sweep->of < 2) return "";
  return fmt::format("{}: {}", sweep->id, counts_text(sweep->counts));
}

Result<std::string> details_of(const Client& client, const std::string& jobs, const Page& page) {
  auto body = client.call({.target = "/v1/jobs/" + percent_encoded(jobs)});
  if (!body) return failure(body.error());
  auto details = parse_job_details(*body);
  if (!details) return failure(details.error());
  std::string text;
  for (JobDetails& job : *details) {
    if (!text.empty()) text += "\n";
    job.sweep = sweep_words(client, job);
    text += render_details(job, page);
  }
  return text;
}

// Which jobs there are and which sweeps; then all about each.
Result<std::string> sheets_of(const Client& client, const Selection& selection, bool expand) {
  const Page page = stdout_page();
  const bool named = selection.jobs != "all";
  std::string target = list_target(selection);
  if (!expand) target = with_parameter(target, named ? "sweeps=whole" : "sweeps=1");
  auto listed = list_folded(client, {.target = target});
  if (!listed) return failure(listed.error());
  if (listed->empty()) note("no job matches");
  std::string text;
  std::vector<std::uint64_t> ids;
  for (const JobView& job : listed->jobs) {
    ids.push_back(job.id);
    if (ids.size() < kShownAtOnce && &job != &listed->jobs.back()) continue;
    auto some = details_of(client, selector_of(ids), page);
    if (!some) return some;
    text += (text.empty() ? "" : "\n") + *some;
    ids.clear();
  }
  for (const SweepView& sweep : listed->sweeps) {
    text += (text.empty() ? "" : "\n") + render_sweep(sweep, page);
  }
  return text;
}

int run_show(const Arguments& arguments) {
  auto selection = selection_or_last(arguments);
  if (!selection) return fail(selection.error());
  const Client client = client_of(arguments);
  if (arguments.has("--json")) {
    return pass_through(client, {.target = jobs_target(*selection, "", false)});
  }
  const bool one = selection->query.empty() &&
                   selection->jobs.find_first_not_of("0123456789") == std::string::npos;
  auto text = one ? details_of(client, selection->jobs, stdout_page())
                  : sheets_of(client, *selection, arguments.has("--expand"));
  if (!text) return fail(text.error());
  auto done = print(*text);
  return done ? kExitOk : fail(done.error());
}

}  // namespace

constinit const Verb kShowVerb = {
    .name = "show",
    .summary = "everything about jobs",
    .usage = "show [IDS…] [FLAGS]",
    .about =
        "Without ids: the newest of one's own jobs. A sweep is one sheet; --expand shows its jobs.",
    .examples =
        "gpusched show\n"
        "gpusched show 7\n"
        "gpusched show 7-106\n"
        "gpusched show 7 --json",
    .sections = kShowSections,
    .operands = Operands::kJobs,
    .run = run_show,
};

}  // namespace gpusched::cli
