// The last words of each of several jobs: what all of them are doing, on one screen.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/jobs/selectors.h"
#include "client/client.h"

namespace gpusched::cli {

struct FoldedJobs;

struct DigestAsked {
  Selection selection;
  std::uint64_t lines = 1;
  bool expand = false;  // A line for each job of a sweep.
};
Result<std::string> digest_of_logs(const Client& client, const DigestAsked& asked);
// Of what is listed already.
std::string digest_text(const Client& client, const FoldedJobs& listed, std::uint64_t lines);

}  // namespace gpusched::cli
