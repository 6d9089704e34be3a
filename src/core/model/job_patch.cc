#include "core/model/job_patch.h"

namespace gpusched {
namespace {

// Variables add up by name; the later word counts.
std::vector<std::string> merged_variables(std::vector<std::string> variables,
                                          const std::vector<std::string>& changes) {
  for (const std::string& change : changes) {
    const std::string_view name = std::string_view(change).substr(0, change.find('='));
    std::erase_if(variables, [&](const std::string& one) {
      return std::string_view(one).substr(0, one.find('=')) == name;
    });
    variables.push_back(change);
  }
  return variables;
}

}  // namespace

bool JobPatch::only_for_waiting() const {
  bool found = false;
  for_each_given([&](const auto& row) { found = found || row.terms.set == Settable::kWaiting; });
  return found;
}

bool JobPatch::changes_what_runs() const {
  return has(&JobSpec::argv) || has(&JobSpec::shell) || has(&JobSpec::working_directory) ||
         has(&SpecExtras::variables) || has(&SpecExtras::shell_program);
}

JobSpec JobPatch::applied_to(const JobSpec& spec) const {
  JobSpec next = spec;
  for_each_given([&](const auto& row) { row.put(next, row.in(values_)); });
  if (has(&SpecExtras::variables)) {
    next.extras.edit().variables =
        merged_variables(spec.extras->variables, values_.extras->variables);
  }
  // What has become the default again takes no room.
  if (!next.extras.unset()) next.extras = SpecExtras(*next.extras);
  if (!next.needs.cards.unset()) next.needs.cards = CardFilter(*next.needs.cards);
  return next;
}

}  // namespace gpusched
