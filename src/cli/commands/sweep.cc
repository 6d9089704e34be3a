#include <fmt/format.h>

#include <array>

#include "cli/commands/verbs.h"
#include "cli/flag_values.h"
#include "cli/jobs/job_ids.h"
#include "cli/render/render.h"
#include "cli/render/sweep_jobs.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"

namespace gpusched::cli {
namespace {

constexpr std::array kSweepFlags = {
    Flag{"--sort", 0, FlagKind::kValue, "COLUMN", "by a parameter, state, time or what was said"},
    Flag{"--reverse", 'r', FlagKind::kSwitch, "", "the largest first"},
    Flag{"--limit", 'n', FlagKind::kValue, "N", "only the first N"},
    Flag{"--state", 0, FlagKind::kValue, "STATE,…",
         "only those in a state; also active, waiting, ended", Offer::kStates},
    Flag{"--csv", 0, FlagKind::kSwitch, "", "comma-separated values, all columns"},
};
constexpr std::array<FlagSection, 2> kSweepSections = {FlagSection{"What", kSweepFlags},
                                                       FlagSection{"General", kCommonFlags}};

// One's own, a line each.
int list_sweeps(const Arguments& arguments, const Client& client) {
  const Request request{.target = "/v1/jobs?mine=1&sweeps=1"};
  if (arguments.has("--json")) return pass_through(client, request);
  auto listed = list_folded(client, request);
  if (!listed) return fail(listed.error());
  if (listed->sweeps.empty()) note("you have no sweeps; submit one with --array or --param");
  auto done = print(listed->sweeps.empty() ? "" : sweeps_table(listed->sweeps, stdout_page()));
  return done ? kExitOk : fail(done.error());
}

Result<SweepOrder> order_of(const Arguments& arguments) {
  SweepOrder order{.by = arguments.text("--sort", "id"), .reversed = arguments.has("--reverse")};
  if (const FlagValue* limit = arguments.find("--limit"); limit != nullptr) {
    auto most = parse_whole(limit->text, 0, 1'000'000'000);
    if (!most) return bad_value(*limit, most.error().message);
    order.most = static_cast<std::uint64_t>(*most);
  }
  return order;
}

Result<SweepView> find_sweep(const Client& client, const std::string& jobs) {
  auto body = client.call({.target = "/v1/sweeps/" + percent_encoded(jobs)});
  if (!body) return failure(body.error());
  return parse_sweep(*body);
}

int run_sweep(const Arguments& arguments) {
  auto selection = selection_of(arguments, Reach::kMachine);
  if (!selection) return fail(selection.error());
  auto order = order_of(arguments);
  if (!order) return fail(order.error());
  const Client client = client_of(arguments);
  if (arguments.operands.empty()) return list_sweeps(arguments, client);
  if (arguments.operands.size() > 1) {
    return fail({ErrorCode::kInvalid, "one sweep at a time: gpusched sweep 134"});
  }
  auto sweep = find_sweep(client, selection->jobs);
  if (!sweep) return fail(sweep.error());
  const Selection members{"", fmt::format("array={}{}{}", sweep->id,
                                          selection->query.empty() ? "" : "&", selection->query)};
  const Request request{.target = list_target(members)};
  if (arguments.has("--json")) return pass_through(client, request);
  auto jobs = list_jobs(client, request);
  if (!jobs) return fail(jobs.error());
  const Page page = stdout_page();
  SweepJobs table(*jobs, page);
  if (auto sorted = table.sort(*order); !sorted) return fail(sorted.error());
  // In a pipe only the table is data.
  if (!arguments.has("--csv")) {
    note(fmt::format("sweep {}: {}", sweep->id, counts_text(sweep->counts)));
  }
  auto done = print(arguments.has("--csv") ? table.csv() : table.table(page));
  return done ? kExitOk : fail(done.error());
}

}  // namespace

constinit const Verb kSweepVerb = {
    .name = "sweep",
    .summary = "the jobs of a sweep: parameters against state, time and what they report",
    .usage = "sweep [ID] [FLAGS]",
    .about =
        "ID is the sweep's first job, or any other of it. Without one: all of one's sweeps, a "
        "line\n"
        "each. What a job writes after the two numbers of its progress (docs/admission.md), such\n"
        "as 'loss=0.13 acc=0.9', has a column for each name. With --json: the rows of its jobs.",
    .examples =
        "gpusched sweep 134\n"
        "gpusched sweep 134 --sort loss -n 5\n"
        "gpusched sweep 134 --csv > sweep.csv",
    .sections = kSweepSections,
    .operands = Operands::kJobs,
    .run = run_sweep,
};

}  // namespace gpusched::cli
