// A job as the API's answers have it (wire/messages/job.h), under the names that the client uses.
#pragma once

#include <string>

#include "wire/messages/job.h"

namespace gpusched::cli {

using CardRef = wire::CardRef;
using ProgressView = wire::Progress;
using JobView = wire::JobRow;
using GpuUsageView = wire::GpuUsage;
using UsageView = wire::Usage;
using AdoptedView = wire::AdoptedProcess;
using JobAsideView = wire::JobAside;

struct JobDetails : wire::JobDetails {
  // How all of its sweep stands, in words; empty: it is alone. Not in the answer.
  std::string sweep;
};

}  // namespace gpusched::cli
