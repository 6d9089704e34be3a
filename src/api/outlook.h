// A submission that is only tried (`dry_run`, `POST /v1/preview`): what would run, on which cards,
// when or why not yet.
#pragma once

#include "api/context.h"
#include "core/model/event.h"
#include "wire/messages/jobs.h"

namespace gpusched {

struct TriedSubmission {
  wire::SubmittedJobs answer;
  SubmitAsked asked;  // Its first jobs.
};

// Sends the answer with its preview. REQUIRES: no commit is under way.
void send_with_outlook(Context& context, const Call& call, TriedSubmission tried);
// The preview alone. REQUIRES: the same.
void send_outlook(Context& context, const Call& call, TriedSubmission tried);

}  // namespace gpusched
