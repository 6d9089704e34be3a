// Verbs that may name very many jobs. Once none of them is refused, their jobs have nothing to do
// with each other, so that such a verb can be done, or tried, in slices.
#pragma once

#include <type_traits>
#include <variant>
#include <vector>

#include "core/access/rights.h"
#include "core/model/event.h"

namespace gpusched {

template <class Asked>
inline constexpr bool kIsBulkVerb =
    std::is_same_v<Asked, CancelAsked> || std::is_same_v<Asked, HoldAsked> ||
    std::is_same_v<Asked, ReleaseAsked> || std::is_same_v<Asked, RequeueAsked> ||
    std::is_same_v<Asked, PauseAsked> || std::is_same_v<Asked, ResumeAsked> ||
    std::is_same_v<Asked, LetGoAsked> || std::is_same_v<Asked, SetAsked>;

// Null: it is another event.
struct BulkVerb {
  const Principal* actor = nullptr;
  std::vector<JobId>* jobs = nullptr;
  Action action = Action::kSteerJob;
};
// A priority or a place only steers a job; all else is what it asks for.
inline Action action_of_verb(const SetAsked& asked) {
  return asked.patch.changes_spec() ? Action::kChangeJob : Action::kSteerJob;
}
inline Action action_of_verb(const LetGoAsked&) { return Action::kChangeJob; }
template <class Asked>
Action action_of_verb(const Asked&) {
  return Action::kSteerJob;
}
inline BulkVerb bulk_verb_of(Event& event) {
  return std::visit(
      [](auto& asked) -> BulkVerb {
        if constexpr (kIsBulkVerb<std::decay_t<decltype(asked)>>) {
          return {&asked.actor, &asked.jobs, action_of_verb(asked)};
        } else {
          return {};
        }
      },
      event);
}

}  // namespace gpusched
