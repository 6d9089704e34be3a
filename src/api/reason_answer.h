// Why a job waits, or would wait, as answers say it.
#pragma once

#include <optional>

#include "core/model/ids.h"
#include "core/model/reason.h"
#include "wire/messages/jobs.h"

namespace gpusched {

// `job`: the one that is told how to help itself; none where it is not submitted yet.
wire::WaitingReason answer_of(const Reason& reason, std::optional<JobId> job);

}  // namespace gpusched
