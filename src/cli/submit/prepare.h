// From the words of `submit` or `run` to a Submission: job file, script directives and standard
// input are read here, and what the command line says wins over all of them.
#pragma once

#include <span>

#include "cli/submit/submission.h"
#include "client/client.h"

namespace gpusched::cli {

Result<Submission> prepare_submission(const Arguments& arguments,
                                      std::span<const FlagSection> sections);

// With the numbers that `last`, `@~2` and ranges stand for now.
Result<std::vector<AfterEntry>> resolved_after(const Client& client,
                                               const std::vector<AfterEntry>& after);
Result<void> resolve_after(const Client& client, Submission& submission);

}  // namespace gpusched::cli
