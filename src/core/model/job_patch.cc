#include "core/model/job_patch.h"

namespace gpusched {

bool JobPatch::only_for_waiting() const {
  bool found = false;
  for_each_given([&](const auto& row) { found = found || row.terms.set == Settable::kWaiting; });
  return found;
}

JobSpec JobPatch::applied_to(const JobSpec& spec) const {
  JobSpec next = spec;
  for_each_given([&](const auto& row) { row.put(next, row.in(values_)); });
  // What has become the default again takes no room.
  if (!next.extras.unset()) next.extras = SpecExtras(*next.extras);
  if (!next.needs.cards.unset()) next.needs.cards = CardFilter(*next.needs.cards);
  return next;
}

}  // namespace gpusched
