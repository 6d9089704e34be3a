// Foreign processes that sit idle on memory that others wait for. Where the administrator's rule
// names them they are adopted, so that making room finds them among the jobs; back on their cards
// they are let go. Everything here is a look at the state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/state/state_view.h"

namespace gpusched {

// "*" is any.
struct ForeignRule {
  std::string user;
  std::string program;  // Its name without a path.
  friend bool operator==(const ForeignRule&, const ForeignRule&) = default;
};
// "jupyter, ml1:*": programs, each with or without whose.
std::vector<ForeignRule> foreign_rules_of(std::string_view text);

struct ForeignLook {
  std::vector<int> adopt;     // Processes.
  std::vector<JobId> let_go;  // Adopted by rule, and not moved for anybody since.
};
ForeignLook look_at_foreign(const StateView& state, const std::vector<ForeignRule>& rules, Now now);

}  // namespace gpusched
