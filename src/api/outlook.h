// The answer of a submission that is only tried (`dry_run`): what would run, on which cards, when
// or why not yet.
#pragma once

#include <string>

#include "api/context.h"
#include "core/model/event.h"

namespace gpusched {

// Sends `head`, an open JSON object, with "preview" in it. REQUIRES: no commit is under way.
void send_with_outlook(Context& context, const Call& call, std::string head, SubmitAsked asked);

}  // namespace gpusched
