#include "core/apply/submit_warning.h"

#include "base/words.h"
#include "core/backfill/deadline.h"

namespace gpusched {
namespace {

// It may be made later, so the job is taken; but a name that was mistyped limits nothing.
std::string unknown_group(const StateView& state, const Job& job) {
  const std::string& group = job.spec->group;
  if (group.empty() || state.groups().contains(group)) return {};
  return "there is no group '" + group +
         "', so nothing limits its jobs; make it: gpusched group set " + shell_word(group) + " 4";
}

}  // namespace

std::string submit_warning(const StateView& state, const Job& job, Now now) {
  std::string warning;
  if (job.spec->extras->deadline) {
    warning = deadline_warning(state, job, earliest_start(state, job, now), now);
  }
  const std::string group = unknown_group(state, job);
  if (!warning.empty() && !group.empty()) warning += "; ";
  return warning + group;
}

}  // namespace gpusched
