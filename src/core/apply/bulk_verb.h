// Verbs that may name very many jobs. Once none of them is refused, their jobs have nothing to do
// with each other, so that such a verb can be done, or tried, in slices.
#pragma once

#include <type_traits>
#include <variant>
#include <vector>

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
};
inline BulkVerb bulk_verb_of(Event& event) {
  return std::visit(
      [](auto& asked) -> BulkVerb {
        if constexpr (kIsBulkVerb<std::decay_t<decltype(asked)>>) {
          return {&asked.actor, &asked.jobs};
        } else {
          return {};
        }
      },
      event);
}

}  // namespace gpusched
