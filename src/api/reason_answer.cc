#include "api/reason_answer.h"

#include <set>
#include <string>

namespace gpusched {

wire::WaitingReason answer_of(const Reason& reason, std::optional<JobId> job) {
  wire::WaitingReason answer{.code = reason_code_name(reason.code),
                             .message = describe(reason),
                             .helps = what_would_help(reason, job),
                             .no_room = why_no_room(reason)};
  for (const JobId id : reason.jobs) answer.jobs.push_back(number_of(id));
  if (!reason.lacks.empty()) {
    // What the cards lack that the job could use, each kind once.
    std::set<std::string> names;
    for (const CardLack& lack : reason.lacks) names.insert(lack_name(lack.what));
    answer.missing.emplace(names.begin(), names.end());
  }
  return answer;
}

}  // namespace gpusched
