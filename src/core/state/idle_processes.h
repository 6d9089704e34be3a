// Which processes of one card hold memory without using it, look by look, and which belong to the
// desktop. One is named once it has done nothing for as long as the rules bear.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "core/model/card_view.h"
#include "core/model/rules.h"

namespace gpusched {

class IdleProcesses {
 public:
  // Sets `ignored` and `idle_since`. What the look says of them already stays, for it is a copy of
  // one. REQUIRES: loads as the driver told them.
  void look(CardView& view, const Rules& rules);

 private:
  // The start tells a process from a later one with its number.
  using Key = std::pair<int, std::optional<Boot>>;
  std::map<Key, Now> idle_;  // Since when; absent: it works, or nobody can say.
};

}  // namespace gpusched
