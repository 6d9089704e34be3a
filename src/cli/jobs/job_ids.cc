#include "cli/jobs/job_ids.h"

#include <optional>

#include "cli/session.h"
#include "cli/views/views.h"
#include "client/row_splitter.h"

namespace gpusched::cli {
namespace {

constexpr int kExitTimeout = 124;
constexpr int kExitCancelled = 130;

Result<void> feed_answer(const Client& client, const Request& request, RowSplitter& splitter) {
  if (client.far()) {  // Whole, so that what gets lost on the way can be asked for again.
    auto body = client.call(request);
    if (!body) return failure(body.error());
    splitter.feed(*body);
    return {};
  }
  auto exchange = client.open(request);
  if (!exchange) return failure(exchange.error());
  while (true) {
    auto part = exchange->read_some();
    if (!part) return failure(part.error());
    if (part->empty()) return {};
    splitter.feed(*part);
  }
}

}  // namespace

Result<FoldedJobs> list_folded(const Client& client, const Request& request) {
  FoldedJobs listed;
  std::optional<Error> broken;
  RowSplitter splitter([&](std::string_view row) {
    auto job = parse_job(row);
    if (job) {
      listed.jobs.push_back(std::move(*job));
    } else if (!broken) {
      broken = job.error();
    }
  });
  if (auto read = feed_answer(client, request, splitter); !read) return failure(read.error());
  if (broken) return failure(*broken);
  if (!splitter.complete()) {
    return failure(ErrorCode::kUnsupported, "the daemon's answer is not a list of jobs");
  }
  // Without its rows the answer is small: {"schema":1,"sweeps":[…]}.
  auto sweeps = parse_sweeps("{\"schema\":1" + splitter.rest());
  if (!sweeps) return failure(sweeps.error());
  listed.sweeps = std::move(*sweeps);
  return listed;
}

Result<std::vector<JobView>> list_jobs(const Client& client, const Request& request) {
  auto listed = list_folded(client, request);
  if (!listed) return failure(listed.error());
  return std::move(listed->jobs);
}

Result<std::vector<std::uint64_t>> resolve_ids(const Client& client, const Selection& selection) {
  std::vector<std::uint64_t> ids;
  if (selection.query.empty() &&
      selection.jobs.find_first_not_of("0123456789") == std::string::npos) {
    ids.push_back(std::stoull(selection.jobs));
    return ids;
  }
  auto jobs = list_jobs(client, {.target = list_target(selection)});
  if (!jobs) return failure(jobs.error());
  for (const JobView& job : *jobs) ids.push_back(job.id);
  return ids;
}

Result<Selection> selection_or_last(const Arguments& arguments) {
  auto selection = selection_of(arguments, Reach::kOwn);
  if (selection && selection->jobs.empty()) selection->jobs = "last";
  return selection;
}

int exit_code_of_job(const JobView& job) {
  if (job.state == "completed") return 0;
  if (job.state == "cancelled") return kExitCancelled;
  if (job.cause == "timeout") return kExitTimeout;
  if (job.exit_code && *job.exit_code != 0) return *job.exit_code;
  if (job.signal) return 128 + *job.signal;
  return 1;  // Never ran, or nobody knows how it ended.
}

}  // namespace gpusched::cli
