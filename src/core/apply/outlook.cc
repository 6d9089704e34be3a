#include "core/apply/outlook.h"

#include "core/apply/apply.h"
#include "core/apply/submit_warning.h"
#include "core/decide/decide.h"
#include "core/explain/explain.h"

namespace gpusched {

Outlook outlook_of(Excerpt excerpt, SubmitAsked asked) {
  const Now now = excerpt.now;
  State state = state_of(std::move(excerpt));
  auto spec = std::make_shared<JobSpec>(*asked.spec);
  // A key that was used before would be answered with the job of that time.
  if (!spec->extras->key.empty()) spec->extras.edit().key.clear();
  asked.spec = std::move(spec);
  asked.tasks.resize(1);
  asked.total = 1;
  asked.first_slice = asked.last_slice = true;
  asked.offset = 0;
  asked.submission = 1;
  const Applied applied = apply(state, asked, now);
  const auto* submitted = std::get_if<Submitted>(&applied.answer);
  if (submitted == nullptr) return {};
  Outlook outlook;
  outlook.warning = submit_warning(state, *state.find(submitted->first), now);
  for (const Decision& decision : decide(state, now).decisions) {
    const auto* start = std::get_if<Start>(&decision);
    if (start == nullptr || start->job != submitted->first) continue;
    outlook.grant = start->grant;
    return outlook;
  }
  outlook.reasons = why_waiting(state, *state.find(submitted->first), now);
  const Forecast ahead = look_ahead(excerpt_of(state, kLookedAheadMost, now));
  const auto found = ahead.starts.find(submitted->first);
  if (found != ahead.starts.end()) outlook.start = found->second;
  const auto why = ahead.unknown.find(submitted->first);
  if (why != ahead.unknown.end()) outlook.start_unknown = describe(why->second);
  return outlook;
}

}  // namespace gpusched
