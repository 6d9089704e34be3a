// What would become of a job that is not submitted: played on a copy of the state, so that nothing
// of it is ever seen by anybody. Pure; as slow as a look ahead, so it is kept off the loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/explain/excerpt.h"
#include "core/explain/look_ahead.h"
#include "core/model/event.h"
#include "core/model/reason.h"

namespace gpusched {

struct Outlook {
  std::optional<Grant> grant;          // It would start at once, with this.
  std::vector<Reason> reasons;         // Else why it would wait.
  std::optional<StartEstimate> start;  // Then. None: nobody can say.
  std::string start_unknown;           // Why nobody can; empty also where nobody has looked.
  std::string warning;                 // As after a real submission (submit_warning.h).
};

// Of the first job of a submission. REQUIRES: the submission would be accepted.
Outlook outlook_of(Excerpt excerpt, SubmitAsked asked);

}  // namespace gpusched
