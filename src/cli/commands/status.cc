#include <fmt/format.h>

#include <array>

#include "cli/commands/status_view.h"
#include "cli/commands/verbs.h"
#include "cli/jobs/job_ids.h"
#include "cli/render/columns.h"
#include "cli/session.h"
#include "cli/shared_flags.h"

namespace gpusched::cli {
namespace {

constexpr std::array kStatusFlags = {
    Flag{"--follow", 'f', FlagKind::kSwitch, "", "draw again whenever something changes"},
    Flag{"--limit", 'n', FlagKind::kValue, "N", "at most the newest N"},
    Flag{"--expand", 'x', FlagKind::kSwitch, "", "every job of a sweep, not one line for all"},
    Flag{"--columns", 0, FlagKind::kValue, "NAME,…", "these columns, such as id,name,state,time"},
    Flag{"--csv", 0, FlagKind::kSwitch, "", "comma-separated values"},
};
constexpr std::array<FlagSection, 3> kStatusSections = {FlagSection{"What", kStatusFlags},
                                                        FlagSection{"Which jobs", kLookFlags},
                                                        FlagSection{"General", kCommonFlags}};

Result<void> add_limit(const Arguments& arguments, std::string& target) {
  const FlagValue* limit = arguments.find("--limit");
  if (limit == nullptr) return {};
  if (limit->text.empty() || limit->text.find_first_not_of("0123456789") != std::string::npos) {
    return bad_value(*limit, fmt::format("'{}' is not a whole number", limit->text));
  }
  target = with_parameter(target, "newest=" + limit->text);
  return {};
}

Result<ColumnChoice> chosen_columns(const Arguments& arguments) {
  const FlagValue* columns = arguments.find("--columns");
  if (columns == nullptr) return arguments.has("--csv") ? usual_columns() : ColumnChoice{};
  auto chosen = parse_columns(columns->text);
  if (!chosen) return bad_value(*columns, chosen.error().message);
  return chosen;
}

Result<StatusQuestion> question_of(const Arguments& arguments) {
  auto selection = selection_of(arguments, Reach::kMachine);
  if (!selection) return failure(selection.error());
  auto columns = chosen_columns(arguments);
  if (!columns) return failure(columns.error());
  const bool json = arguments.has("--json");
  if (json && !columns->empty()) {
    return failure(ErrorCode::kInvalid, "--json has all fields; leave --columns and --csv out");
  }
  StatusQuestion question{.selection = *selection, .columns = std::move(*columns)};
  question.csv = arguments.has("--csv");
  const bool rows = json || arguments.has("--expand") || !question.columns.empty();
  const bool named = !selection->jobs.empty();
  const bool table = json || !question.columns.empty() || arguments.has("--limit");
  question.overview = !named && !table;
  if (question.overview) {
    question.request.target =
        with_parameter("/v1/overview?waiting=20", rows ? "sweeps=0" : "sweeps=1");
    return question;
  }
  // Without a word about which: what has not ended yet.
  if (!named && !arguments.has("--limit")) selection->query = "state=active,waiting";
  question.request.target = list_target(*selection);
  if (!rows) {
    // Who names some jobs of a sweep wants to see those.
    const bool by_id = named && selection->jobs != "all";
    question.request.target =
        with_parameter(question.request.target, by_id ? "sweeps=whole" : "sweeps=1");
  }
  if (auto limited = add_limit(arguments, question.request.target); !limited) {
    return failure(limited.error());
  }
  return question;
}

int run_status(const Arguments& arguments) {
  auto question = question_of(arguments);
  if (!question) return fail(question.error());
  const Client client = client_of(arguments);
  const bool json = arguments.has("--json");
  if (arguments.has("--follow")) {
    if (question->csv) return fail({ErrorCode::kInvalid, "--csv is written once; leave -f out"});
    return follow_status(client, *question, json);
  }
  if (json) return pass_through(client, question->request);
  auto text = render_status(client, *question);
  if (!text) return fail(text.error());
  auto done = print(*text);
  return done ? kExitOk : fail(done.error());
}

}  // namespace

constinit const Verb kStatusVerb = {
    .name = "status",
    .alias = "ls",
    .summary = "what runs, what waits and why",
    .usage = "status [IDS…] [FLAGS]",
    .about =
        "Without ids or filters: what runs, the first 20 that wait in the order in which they "
        "would\n"
        "start, and what ended last. With --json, --csv or --columns: all jobs that have not "
        "ended.\n"
        "A sweep is one line; --expand shows its jobs. --all: one's own that have not ended; with\n"
        "--state ended or --since 2h those that have.",
    .examples =
        "gpusched status\n"
        "gpusched status -f\n"
        "gpusched status 7-12\n"
        "gpusched status --state failed --user ml1\n"
        "gpusched status --all --since 2h\n"
        "gpusched status --columns id,name,state,time\n"
        "gpusched status --all --json",
    .sections = kStatusSections,
    .operands = Operands::kJobs,
    .run = run_status,
};

}  // namespace gpusched::cli
