#include <fmt/format.h>
#include <unistd.h>

#include <map>

#include "cli/commands/verbs.h"
#include "cli/display.h"
#include "cli/jobs/job_ids.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"
#include "client/change_feed.h"

namespace gpusched::cli {
namespace {

// Changes that come together are drawn together.
constexpr std::chrono::milliseconds kGather{100};
// Times on the screen go on even if nothing happens.
constexpr std::chrono::milliseconds kTick{5000};

constexpr std::array kStatusFlags = {
    Flag{"--follow", 'f', FlagKind::kSwitch, "", "draw again whenever something changes"},
    Flag{"--limit", 'n', FlagKind::kValue, "N", "at most the newest N"},
};
constexpr std::array<FlagSection, 3> kStatusSections = {FlagSection{"What", kStatusFlags},
                                                        FlagSection{"Which jobs", kSelectorFlags},
                                                        FlagSection{"General", kCommonFlags}};

struct Question {
  Request request;
  bool overview = false;
};

Result<Question> question_of(const Arguments& arguments) {
  auto selection = selection_of(arguments);
  if (!selection) return failure(selection.error());
  Question question;
  question.overview =
      selection->jobs.empty() && !arguments.has("--limit") && !arguments.has("--json");
  if (question.overview) {
    question.request.target = "/v1/overview?waiting=20";
    return question;
  }
  // Without a word about which: what has not ended yet.
  if (selection->jobs.empty() && !arguments.has("--limit")) {
    selection->query = "state=active,waiting";
  }
  question.request.target = list_target(*selection);
  if (const FlagValue* limit = arguments.find("--limit"); limit != nullptr) {
    if (limit->text.empty() || limit->text.find_first_not_of("0123456789") != std::string::npos) {
      return bad_value(*limit, fmt::format("'{}' is not a whole number", limit->text));
    }
    question.request.target += question.request.target.find('?') == std::string::npos ? '?' : '&';
    question.request.target += "newest=" + limit->text;
  }
  return question;
}

Result<std::string> render(const Client& client, const Question& question) {
  if (question.overview) {
    auto body = client.call(question.request);
    if (!body) return failure(body.error());
    auto view = parse_overview(*body);
    if (!view) return failure(view.error());
    return render_overview(*view, stdout_page());
  }
  auto jobs = list_jobs(client, question.request);
  if (!jobs) return failure(jobs.error());
  if (jobs->empty()) {
    note("no job matches");
    return std::string();
  }
  return render_jobs(*jobs, stdout_page());
}

// As much as fits, so that the screen never scrolls.
std::string first_rows(const std::string& text, int rows) {
  std::size_t end = 0;
  for (int row = 0; row + 1 < rows && end < text.size(); ++row) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  return text.substr(0, end);
}

Result<void> redraw(const Client& client, const Question& question) {
  Patience patience = client.patience();
  auto text = render(client, question);
  while (!text && is_away(text.error()) && patience.wait_a_moment()) {
    text = render(client, question);
  }
  if (!text) return failure(text.error());
  const int rows = terminal_size(STDOUT_FILENO).value_or(TerminalSize{}).rows;
  return print("\x1b[H\x1b[2J" + first_rows(*text, rows));
}

// Onto a terminal: the whole picture again and again.
int follow_screen(const Client& client, const Question& question, const std::string& jobs) {
  ChangeFeed feed(client, jobs);
  if (auto opened = feed.open(); !opened) return fail(opened.error());
  while (true) {
    if (auto drawn = redraw(client, question); !drawn) return fail(drawn.error());
    auto next = feed.next(kTick);
    while (next && next->by == ChangeFeed::Woken::kChange) next = feed.next(kGather);
    if (!next) return fail(next.error());
  }
}

// Into a pipe or file: one line per change.
int follow_lines(const Client& client, const std::string& jobs, bool json) {
  ChangeFeed feed(client, jobs);
  if (auto opened = feed.open(); !opened) return fail(opened.error());
  std::map<std::uint64_t, std::string> shown;
  while (true) {
    auto next = feed.next(std::chrono::milliseconds{-1});
    if (!next) return fail(next.error());
    if (next->by != ChangeFeed::Woken::kChange || next->change.kind != "job") continue;
    auto job = parse_job(next->change.data);
    if (!job) return fail(job.error());
    const std::string& why = job->waiting() ? job->reason : outcome_text(*job);
    const std::string line =
        fmt::format("{} {}{}{}\n", job->id, job->state, why.empty() ? "" : " ", escaped(why));
    // After a restart the daemon shows all jobs again, without numbers: only news are printed.
    const auto known = shown.find(job->id);
    const bool picture = next->change.id.empty();
    const bool same = known != shown.end() && known->second == line;
    const bool at_rest = known == shown.end() && (job->ended() || job->waiting());
    shown[job->id] = line;
    if (picture && (same || at_rest)) continue;
    if (auto done = print(json ? next->change.data + "\n" : line); !done) return fail(done.error());
  }
}

int follow(const Arguments& arguments, const Client& client, const Question& question) {
  auto selection = selection_of(arguments);
  if (!selection) return fail(selection.error());
  // Without a word about which, everybody's.
  std::string jobs = selection->jobs;
  const bool json = arguments.has("--json");
  if (!json && is_terminal(STDOUT_FILENO)) return follow_screen(client, question, jobs);
  if (!selection->query.empty()) {
    auto ids = resolve_ids(client, *selection);
    if (!ids) return fail(ids.error());
    jobs = selector_of(*ids);
    if (jobs.empty()) {
      note("no job matches");
      return kExitOk;
    }
  }
  return follow_lines(client, jobs, json);
}

int run_status(const Arguments& arguments) {
  auto question = question_of(arguments);
  if (!question) return fail(question.error());
  const Client client = client_of(arguments);
  const bool json = arguments.has("--json");
  if (arguments.has("--follow")) {
    return follow(arguments, client, *question);
  }
  if (json) return pass_through(client, question->request);
  auto text = render(client, *question);
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
        "start, and what ended last. With --json: all jobs that have not ended.",
    .examples =
        "gpusched status\n"
        "gpusched status -f\n"
        "gpusched status 7-12\n"
        "gpusched status --state failed --user ml1\n"
        "gpusched status --all --json",
    .sections = kStatusSections,
    .operands = Operands::kJobs,
    .run = run_status,
};

}  // namespace gpusched::cli
