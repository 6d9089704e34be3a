#include <fmt/format.h>

#include <algorithm>
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
                                                      FlagSection{"Which jobs", kSelectorFlags},
                                                      FlagSection{"General", kCommonFlags}};

int finish(const Arguments& arguments, const std::string& body, const WaitedView& waited) {
  if (waited.jobs.empty()) note("no job matches");
  if (arguments.has("--json") && !body.empty()) {
    auto done = print(body.ends_with('\n') ? body : body + "\n");
    if (!done) return fail(done.error());
  }
  int code = 0;
  for (const JobView& job : waited.jobs) {
    if (!job.ended()) continue;
    const int own = exit_code_of_job(job);
    if (code == 0) code = own;
    if (own == 0 || arguments.has("--quiet")) continue;
    const std::string how = job.message.empty() ? outcome_text(job) : job.message;
    note(fmt::format("job {} {}{}", job.id, job.state, how.empty() ? "" : ": " + how));
  }
  return code;
}

Result<std::optional<Boot>> deadline_of(const Arguments& arguments) {
  const FlagValue* timeout = arguments.find("--timeout");
  if (timeout == nullptr) return std::optional<Boot>();
  auto duration = parse_duration(timeout->text);
  if (!duration) return bad_value(*timeout, duration.error().message);
  return std::optional<Boot>(read_clock().boot + *duration);
}

// Asks again and again, also across a restart of the daemon.
int wait_for(const Arguments& arguments, const Client& client, const Selection& selection,
             const std::optional<Boot>& deadline, std::vector<JobView> ended) {
  Patience patience = client.patience();
  // The first answer comes at once: it tells a daemon that never was there from one that left.
  std::int64_t round_ms = 0;
  while (true) {
    Request request{.target = jobs_target(selection, "wait", false)};
    request.target += fmt::format(
        "{}timeout_ms={}", request.target.find('?') == std::string::npos ? '?' : '&', round_ms);
    auto body = client.call(request);
    if (!body) {
      if (round_ms > 0 && is_away(body.error()) && patience.wait_a_moment()) continue;
      return fail(body.error());
    }
    patience.reset();
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
      const auto open =
          std::ranges::count_if(waited->jobs, [](const JobView& job) { return !job.ended(); });
      note(fmt::format("the time is up and {} of {} jobs have not ended", open,
                       waited->jobs.size()));
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
  auto jobs = list_jobs(client, {.target = list_target(selection)});
  if (!jobs) return failure(jobs.error());
  std::vector<std::uint64_t> open;
  for (JobView& job : *jobs) {
    if (job.ended() && !keep_all) {
      ended.push_back(std::move(job));
    } else {
      open.push_back(job.id);
    }
  }
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
  auto selection = selection_or_last(arguments);
  if (!selection) return fail(selection.error());
  auto deadline = deadline_of(arguments);
  if (!deadline) return fail(deadline.error());
  const Client client = client_of(arguments);
  std::vector<JobView> ended;
  if (is_moving(selection->jobs) || !selection->query.empty()) {
    auto fixed = fix(client, *selection, ended, arguments.has("--json"));
    if (!fixed) return fail(fixed.error());
    if (!*fixed) return finish(arguments, "", {true, std::move(ended)});
  }
  return wait_for(arguments, client, *selection, *deadline, std::move(ended));
}

}  // namespace

constinit const Verb kWaitVerb = {
    .name = "wait",
    .summary = "until jobs end; its exit code is theirs",
    .usage = "wait [IDS…] [FLAGS]",
    .about =
        "Without ids: the newest of one's own jobs. The exit code is the job's, 128+n after signal "
        "n,\n"
        "124 after its time limit, 130 if it was cancelled; of several, the first that is not 0.",
    .examples =
        "gpusched wait 7\n"
        "gpusched wait 7-106 --timeout 1h\n"
        "gpusched wait --group night",
    .sections = kWaitSections,
    .operands = Operands::kJobs,
    .run = run_wait,
};

}  // namespace gpusched::cli
