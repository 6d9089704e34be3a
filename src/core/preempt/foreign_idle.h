// Foreign processes that sit idle on memory that others wait for. Where the administrator's rule
// names them they are adopted, so that making room finds them among the jobs; back on their cards
// they are let go.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/adopted.h"
#include "core/model/event.h"
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

// Applies the rule from look to look.
class ForeignWatch {
 public:
  struct Terms {
    std::vector<ForeignRule> rules = {};
    Seconds grace{10};
    std::shared_ptr<const Environment> environment = {};  // An empty one.
    std::uint32_t uid = 0;                                // The daemon's.
    int pid = 0;                                          // Likewise.
  };
  explicit ForeignWatch(Terms terms) : terms_(std::move(terms)) {}

  void change_grace(Seconds grace) { terms_.grace = grace; }

  // Finds nothing sooner than a second after the last look.
  ForeignLook look(const StateView& state, Now now);
  // Nullopt: it is out of the daemon's reach, or was tried a short while ago.
  std::optional<AdoptAsked> adopt(const StateView& state, const RunningProcess& process, Now now);

 private:
  Terms terms_;
  Boot looked_{};
  std::map<std::pair<int, Boot>, Boot> tried_;  // By pid and start: when.
};

}  // namespace gpusched
