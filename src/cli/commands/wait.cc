#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/jobs/job_ids.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/views/views.h"
#include "os/clock.h"

namespace gpusched::cli {
namespace {

// One question at a time is open this long: a daemon that is gone is noticed.
constexpr std::int64_t kRoundMs = 50'000;
// Ids that fit the request line of every daemon.
constexpr std::size_t kSelectorMost = 8000;

constexpr std::array kWaitFlags = {
    Flag{"--timeout", 0, FlagKind::kValue, "DURATION",
         "give up after this long, with exit code 75"},
    Flag{"--quiet", 'q', FlagKind::kSwitch, "", "say nothing about jobs that failed"},
};
constexpr std::array<FlagSection, 3> kWaitSections = {FlagSection{"How", kWaitFlags},
                                                      FlagSection{"Which jobs", kLookFlags},
                                                      FlagSection{"General", kCommonFlags}};

std::string how_it_ended(const JobView& job) {
  const std::string how = job.message.empty() ? outcome_text(job) : job.message;
  return how.empty() ? job.state : fmt::format("{}: {}", job.state, how);
}

// "sweep 134: 23 ok, 2 failed: 140 (exit 3), 151 (signal 9 (KILL))"
std::string sweep_ended(const SweepView& sweep) {
  std::string text = fmt::format("sweep {}: {}", sweep.id, counts_text(sweep.counts));
  for (const JobView& job : sweep.failures) {
    const std::string how = outcome_text(job).empty() ? job.state : outcome_text(job);
    text += fmt::format("{} {} ({})", &job == &sweep.failures.front() ? ":" : ",", job.id, how);
  }
  const std::uint64_t bad = sweep.counts.failed + sweep.counts.cancelled;
  if (bad <= sweep.failures.size()) return text;
  return text + fmt::format(" and {} more; see: gpusched sweep {} --state failed,cancelled",
                            bad - sweep.failures.size(), sweep.id);
}

int finish(const Arguments& arguments, const std::string& body, const WaitedView& waited) {
  if (waited.jobs.empty() && waited.sweeps.empty()) note("no job matches");
  if (arguments.has("--json") && !body.empty()) {
    auto done = print(body.ends_with('\n') ? body : body + "\n");
    if (!done) return fail(done.error());
  }
  std::map<std::uint64_t, int> codes;  // Of those that did not succeed.
  const bool quiet = arguments.has("--quiet");
  for (const JobView& job : waited.jobs) {
    if (!job.ended() || exit_code_of_job(job) == 0) continue;
    codes.emplace(job.id, exit_code_of_job(job));
    if (!quiet) note(fmt::format("job {} {}", job.id, how_it_ended(job)));
  }
  for (const SweepView& sweep : waited.sweeps) {
    for (const JobView& job : sweep.failures) codes.emplace(job.id, exit_code_of_job(job));
    if (!sweep.failures.empty() && !quiet) note(sweep_ended(sweep));
  }
  return codes.empty() ? kExitOk : codes.begin()->second;
}

Result<std::optional<Boot>> deadline_of(const Arguments& arguments) {
  const FlagValue* timeout = arguments.find("--timeout");
  if (timeout == nullptr) return std::optional<Boot>();
  auto duration = parse_duration(timeout->text);
  if (!duration) return bad_value(*timeout, duration.error().message);
  return std::optional<Boot>(read_clock().boot + *duration);
}

// "3 of 12 jobs have not ended"
std::string open_text(const WaitedView& waited) {
  std::uint64_t open = 0;
  std::uint64_t all = waited.jobs.size();
  for (const JobView& job : waited.jobs) open += job.ended() ? 0 : 1;
  for (const SweepView& sweep : waited.sweeps) {
    open += sweep.open();
    all += sweep.count;
  }
  return fmt::format("{} of {} jobs have not ended", open, all);
}

// How long the answer of a round may take. A deadline is kept also where nothing comes at all.
std::chrono::milliseconds until_answered(std::int64_t round_ms,
                                         const std::optional<Boot>& deadline) {
  constexpr std::chrono::milliseconds kOnTheWay{30'000};
  constexpr std::chrono::milliseconds kLate{2'000};
  const std::chrono::milliseconds most = std::chrono::milliseconds{round_ms} + kOnTheWay;
  if (!deadline) return most;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - read_clock().boot);
  return std::clamp(left + kLate, std::chrono::milliseconds{1}, most);
}

// Asks again and again, also across a restart of the daemon.
int wait_for(const Arguments& arguments, const Client& client, const Selection& selection,
             const std::optional<Boot>& deadline, std::vector<JobView> ended) {
  const auto patience_for = [&](Seconds most) {
    Patience patience = client.patience(most);
    if (deadline) patience.end_at(*deadline);
    return patience;
  };
  // The first answer comes at once: it tells a daemon that never was there from one that left.
  std::int64_t round_ms = 0;
  Patience patience = patience_for(kBrieflyMost);
  while (true) {
    Request request{.target = with_parameter(jobs_target(selection, "wait", false),
                                             fmt::format("timeout_ms={}", round_ms))};
    if (!arguments.has("--json")) request.target = with_parameter(request.target, "sweeps=1");
    auto body = client.call_once(request, until_answered(round_ms, deadline));
    if (!body) {
      const bool waits = round_ms > 0 || client.on_network();
      if (waits && is_away(body.error()) && patience.wait_a_moment()) continue;
      if (is_away(body.error()) && deadline && read_clock().boot >= *deadline) {
        note("the time is up, and the daemon is away: " + body.error().message);
        return kExitTryLater;
      }
      return fail(body.error());
    }
    patience = patience_for(Seconds::max());
    auto waited = parse_waited(*body);
    if (!waited) return fail(waited.error());
    if (waited->done) {
      waited->jobs.insert(waited->jobs.end(), ended.begin(), ended.end());
      std::ranges::sort(waited->jobs, {}, &JobView::id);
      return finish(arguments, *body, *waited);
    }
    round_ms = kRoundMs;
    if (!deadline) continue;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - read_clock().boot);
    if (left.count() <= 0) {
      note(fmt::format("the time is up and {}", open_text(*waited)));
      return kExitTryLater;
    }
    round_ms = std::min<std::int64_t>(left.count(), kRoundMs);
  }
}

// Makes of words that mean other jobs later the ids that they mean now. What has ended already need
// not be asked about again, and may be forgotten by the daemon before the others end.
// False: nothing is left to wait for.
Result<bool> fix(const Client& client, Selection& selection, std::vector<JobView>& ended,
                 bool keep_all) {
  auto listed = list_folded(client, {.target = with_parameter(list_target(selection), "sweeps=1")});
  if (!listed) return failure(listed.error());
  std::vector<std::uint64_t> open;
  const auto add = [&](JobView& job) {
    if (job.ended() && !keep_all) {
      ended.push_back(std::move(job));
    } else {
      open.push_back(job.id);
    }
  };
  for (JobView& job : listed->jobs) add(job);
  for (const SweepView& sweep : listed->sweeps) {
    if (sweep.open() == sweep.last - sweep.first + 1) {  // All of a range, and none has ended.
      for (std::uint64_t id = sweep.first; id <= sweep.last; ++id) open.push_back(id);
      continue;
    }
    Selection members = selection;
    const bool named = ("&" + members.query).find("&array=") != std::string::npos;
    if (!named)
      members.query += (members.query.empty() ? "array=" : "&array=") + std::to_string(sweep.id);
    auto jobs = list_jobs(client, {.target = list_target(members)});
    if (!jobs) return failure(jobs.error());
    for (JobView& job : *jobs) add(job);
  }
  std::ranges::sort(open);
  const std::string fixed = selector_of(open);
  if (open.empty()) return false;
  if (fixed.size() > kSelectorMost) {  // Too long for a request: wait by the words, all of them.
    ended.clear();
    return true;
  }
  selection = {fixed, ""};
  return true;
}

int run_wait(const Arguments& arguments) {
  auto selection = selection_of(arguments, Reach::kOwn);
  if (!selection) return fail(selection.error());
  // `wait $(gpusched submit …)` after a refused submit must not mean some other job.
  if (selection->jobs.empty()) {
    return fail(
        {ErrorCode::kInvalid, "say which jobs to wait for: gpusched wait 7, 7-12, last, or --all"});
  }
  auto deadline = deadline_of(arguments);
  if (!deadline) return fail(deadline.error());
  const Client client = client_of(arguments);
  std::vector<JobView> ended;
  if (is_moving(selection->jobs) || !selection->query.empty()) {
    auto fixed = fix(client, *selection, ended, arguments.has("--json"));
    if (!fixed) return fail(fixed.error());
    // A name that was mistyped must not look like jobs that went well.
    if (!*fixed && ended.empty() && !arguments.has("--all")) {
      return fail({ErrorCode::kNotFound, "no job matches"});
    }
    if (!*fixed) return finish(arguments, "", {true, std::move(ended)});
  }
  return wait_for(arguments, client, *selection, *deadline, std::move(ended));
}

}  // namespace

constinit const Verb kWaitVerb = {
    .name = "wait",
    .summary = "until jobs end; its exit code is theirs",
    .usage = "wait IDS… [FLAGS]",
    .about =
        "--all: one's own jobs that have not ended. The exit code is the job's, 128+n after signal "
        "n,\n"
        "124 after its time limit, 130 if it was cancelled; of several, the first that is not 0.\n"
        "Jobs that did not succeed are named, those of a sweep in one line. If no job matches, it\n"
        "is 66; --all is content without any.",
    .examples =
        "gpusched wait 7\n"
        "gpusched wait 7-106 --timeout 1h\n"
        "gpusched wait --all\n"
        "gpusched wait --group night",
    .sections = kWaitSections,
    .operands = Operands::kJobs,
    .run = run_wait,
};

}  // namespace gpusched::cli
