// Stays with a job: while it waits, says why; then this terminal is the job's, attempt by attempt,
// until it has ended or the user detaches. For `run` and `attach`.
#pragma once

#include <cstdint>

#include "client/client.h"

namespace gpusched::cli {

enum class Staying : unsigned char {
  kAsItsClient,  // Who leaves while it waits cancels it.
  kComingBack,   // It has been left to itself before, and may be again.
};
// The exit code: the job's, or 0 after detaching.
int stay_with(const Client& client, std::uint64_t id, Staying how);

}  // namespace gpusched::cli
