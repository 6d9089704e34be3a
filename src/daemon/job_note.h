// What a job directory keeps of its job, so that a daemon whose store has lost the job knows what
// it holds and whose it is. The environment is not part of it: it may hold secrets, and is large.
#pragma once

#include <string>

#include "base/result.h"
#include "core/model/job.h"
#include "engine/reconcile.h"

namespace gpusched {

// One record (jobdir/record.h). Empty where it would be too long for a job directory.
std::string note_of(const Job& job);
// What is never left out: the part that a claim keeps (HeldNote, engine/reconcile.h).
std::string holds_of(const Job& job);
Result<HeldNote> held_of_text(const std::string& text);
// `id`, `owner` and `attempt` are left to the caller. The state is Starting, with the grant.
Result<Job> job_of_note(const std::string& note);

}  // namespace gpusched
