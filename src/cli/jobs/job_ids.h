// Selections as plain ids, for routes that take one job and for verbs that must keep meaning the
// same jobs while new ones arrive.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/jobs/selectors.h"
#include "cli/views/job_view.h"
#include "client/client.h"

namespace gpusched::cli {

struct FoldedJobs;

// The rows that a list request answers, read as they arrive.
Result<std::vector<JobView>> list_jobs(const Client& client, const Request& request);

// The same of a request that asks for sweeps as lines.
Result<FoldedJobs> list_folded(const Client& client, const Request& request);

// Asks the daemon only if the words do not say it themselves.
Result<std::vector<std::uint64_t>> resolve_ids(const Client& client, const Selection& selection);

// What the operands name, or the newest job if nothing is named: for verbs that change nothing.
Result<Selection> selection_or_last(const Arguments& arguments);

// The exit code that stands for how a job ended (docs/cli.md, "Exit codes").
int exit_code_of_job(const JobView& job);

}  // namespace gpusched::cli
