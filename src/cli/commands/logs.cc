#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/flag_values.h"
#include "cli/jobs/job_ids.h"
#include "cli/logs/digest.h"
#include "cli/logs/follow.h"
#include "cli/logs/last_lines.h"
#include "cli/logs/together.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/views/views.h"
#include "client/change_feed.h"

namespace gpusched::cli {
namespace {

constexpr std::array kLogsFlags = {
    Flag{"--follow", 'f', FlagKind::kSwitch, "", "go on until the job has ended"},
    Flag{"--lines", 'n', FlagKind::kValue, "N", "only the last N lines"},
    Flag{"--attempt", 0, FlagKind::kValue, "N", "of an earlier attempt"},
    Flag{"--stderr", 0, FlagKind::kSwitch, "", "standard error, where --error splits it off"},
    Flag{"--digest", 'd', FlagKind::kSwitch, "", "the last line of each job; -n: so many"},
    Flag{"--expand", 'x', FlagKind::kSwitch, "", "each job of a sweep"},
};
constexpr std::array<FlagSection, 3> kLogsSections = {FlagSection{"What", kLogsFlags},
                                                      FlagSection{"Which jobs", kLookFlags},
                                                      FlagSection{"General", kCommonFlags}};

// A job that has not started has no log yet.
Result<void> until_started(const Client& client, std::uint64_t id) {
  ChangeFeed feed(client, std::to_string(id));
  if (auto opened = feed.open(); !opened) return opened;
  bool told = false;
  while (true) {
    auto body = client.call_patiently({.target = fmt::format("/v1/jobs/{}", id)});
    if (!body) return failure(body.error());
    auto jobs = parse_jobs(*body);
    if (!jobs) return failure(jobs.error());
    if (jobs->empty() || !jobs->front().waiting()) return {};
    if (!told) note(fmt::format("job {} waits: {}", id, jobs->front().reason));
    told = true;
    auto next = feed.next(std::chrono::milliseconds{-1});
    if (!next) return failure(next.error());
  }
}

Result<LogRequest> request_of(const Arguments& arguments) {
  LogRequest log;
  if (const FlagValue* attempt = arguments.find("--attempt"); attempt != nullptr) {
    auto number = parse_whole(attempt->text, 1, std::numeric_limits<int>::max());
    if (!number) return bad_value(*attempt, number.error().message);
    log.extra += fmt::format("&attempt={}", *number);
  }
  if (arguments.has("--stderr")) log.extra += "&stream=error";
  return log;
}

// -n; absent: all of them.
Result<std::optional<std::uint64_t>> lines_asked(const Arguments& arguments) {
  const FlagValue* lines = arguments.find("--lines");
  if (lines == nullptr) return std::optional<std::uint64_t>();
  auto count = parse_whole(lines->text, 0, 1'000'000'000);
  if (!count) return bad_value(*lines, count.error().message);
  return std::optional(static_cast<std::uint64_t>(*count));
}

Result<void> show_log(const Client& client, const Arguments& arguments, const LogRequest& log) {
  const bool following = arguments.has("--follow");
  if (following && log.extra.find("attempt") == std::string::npos) {
    if (auto started = until_started(client, log.id); !started) return started;
  }
  auto lines = lines_asked(arguments);
  if (!lines) return failure(lines.error());
  std::uint64_t offset = 0;
  if (*lines) {
    auto last = last_lines(client, log, **lines);
    if (!last) return failure(last.error());
    offset = last->offset;
    auto printed = print(last->text);
    if (!printed || !following) return printed;
  }
  return following ? follow_log(client, log, offset) : copy_log(client, log, offset);
}

int run_digest(const Arguments& arguments) {
  auto selection = selection_of(arguments, Reach::kOwn);
  if (!selection) return fail(selection.error());
  // Without a word about which: all of one's own that run.
  if (selection->jobs.empty()) *selection = {"all", "state=active&mine=1"};
  auto lines = lines_asked(arguments);
  if (!lines) return fail(lines.error());
  if (arguments.has("--follow")) {
    return fail({ErrorCode::kInvalid, "--digest looks once; follow with: gpusched logs -f --all"});
  }
  auto text = digest_of_logs(client_of(arguments),
                             {*selection, lines->value_or(1), arguments.has("--expand")});
  if (!text) return fail(text.error());
  auto done = print(*text);
  return done ? kExitOk : fail(done.error());
}

// One after the other, each below its line.
int print_each(const Arguments& arguments, const Client& client, LogRequest log,
               const std::vector<std::uint64_t>& ids) {
  for (const std::uint64_t id : ids) {
    // With the bytes, so that it stays before them in a pipe or file.
    if (ids.size() > 1) {
      const char* gap = id == ids.front() ? "" : "\n";
      if (auto done = print(fmt::format("{}==> job {} <==\n", gap, id)); !done) {
        return fail(done.error());
      }
    }
    log.id = id;
    if (auto shown = show_log(client, arguments, log); !shown) return fail(shown.error());
  }
  return kExitOk;
}

// Of a whole sweep every log would bury what is looked for: one line, unless more is asked for.
bool folds(const Arguments& arguments) {
  return !arguments.has("--expand") && !arguments.has("--follow") && !arguments.has("--attempt") &&
         !arguments.has("--stderr");
}

int print_folded(const Arguments& arguments, const Client& client, const LogRequest& log,
                 const FoldedJobs& listed) {
  std::vector<std::uint64_t> ids;
  for (const JobView& job : listed.jobs) ids.push_back(job.id);
  if (const int code = print_each(arguments, client, log, ids); code != kExitOk) return code;
  const auto lines = lines_asked(arguments);
  const FoldedJobs sweeps{.jobs = {}, .sweeps = listed.sweeps};
  std::string text = ids.empty() ? "" : "\n";
  text += digest_text(client, sweeps, lines->value_or(1));
  if (auto done = print(text); !done) return fail(done.error());
  note(fmt::format("every log of sweep {}: gpusched logs -x --array {}", sweeps.sweeps.front().id,
                   sweeps.sweeps.front().id));
  return kExitOk;
}

int run_logs(const Arguments& arguments) {
  if (arguments.has("--json")) {
    return fail({ErrorCode::kInvalid, "a log is raw bytes; it has no --json form"});
  }
  if (arguments.has("--digest")) return run_digest(arguments);
  auto selection = selection_or_last(arguments);
  if (!selection) return fail(selection.error());
  auto log = request_of(arguments);
  if (!log) return fail(log.error());
  auto lines = lines_asked(arguments);
  if (!lines) return fail(lines.error());
  const Client client = client_of(arguments);
  if (folds(arguments) && selection->jobs.find_first_not_of("0123456789") != std::string::npos) {
    auto listed =
        list_folded(client, {.target = with_parameter(list_target(*selection), "sweeps=whole")});
    if (!listed) return fail(listed.error());
    if (!listed->sweeps.empty()) return print_folded(arguments, client, *log, *listed);
  }
  auto ids = resolve_ids(client, *selection);
  if (!ids) return fail(ids.error());
  if (ids->empty()) note("no job matches");
  if (ids->size() > 1 && arguments.has("--follow")) {
    auto followed = follow_together(client, {*ids, log->extra, *lines});
    return followed ? kExitOk : fail(followed.error());
  }
  return print_each(arguments, client, *log, *ids);
}

}  // namespace

constinit const Verb kLogsVerb = {
    .name = "logs",
    .alias = "log",
    .summary = "a job's output, live with -f",
    .usage = "logs [IDS…] [FLAGS]",
    .about =
        "Without ids: the newest of one's own jobs. The bytes are those that the job wrote;\n"
        "of several jobs each has a line '==> job 7 <==' before it. With -f, lines of several "
        "jobs\n"
        "come as they are written, each with its job before it.\n"
        "A whole sweep is one line: how it stands, and the last line (-n: so many) of a job that "
        "runs,\n"
        "failed or ended last; -x prints the log of each.\n"
        "--digest: the last line of each of one's running jobs.",
    .examples =
        "gpusched logs\n"
        "gpusched logs -f 7\n"
        "gpusched logs -n 20 7\n"
        "gpusched logs -f 7-9\n"
        "gpusched logs -x --array 7\n"
        "gpusched logs --digest",
    .sections = kLogsSections,
    .operands = Operands::kJobs,
    .run = run_logs,
};

}  // namespace gpusched::cli
