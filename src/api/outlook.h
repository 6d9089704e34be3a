// The answer of a submission that is only tried (`dry_run`): what would run, on which cards, when
// or why not yet.
#pragma once

#include "api/context.h"
#include "core/model/event.h"
#include "wire/messages/jobs.h"

namespace gpusched {

// Sends `answer` with its preview. REQUIRES: no commit is under way.
void send_with_outlook(Context& context, const Call& call, wire::SubmittedJobs answer,
                       SubmitAsked asked);

}  // namespace gpusched
