// The processes of a card as admission sees them: how much each uses it, as the driver says (what
// of that counts is the core's to say, core/state/recent_load.h), and since when one has held
// memory without using the card.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/card_view.h"
#include "watch/report.h"

namespace gpusched {

class ProcessLoads {
 public:
  struct Rules {
    Seconds idle_after{600};
    // Programs of the desktop, by the last part of their path.
    std::vector<std::string> ignored;
  };
  explicit ProcessLoads(Rules rules) : rules_(std::move(rules)) {}

  // One look at one card.
  std::vector<SeenProcess> look(CardNumber card, const std::vector<watch::WatchedProcess>& listed,
                                Now at);

 private:
  // The start tells a process from a later one with its number.
  using Key = std::pair<int, std::optional<Boot>>;
  bool is_ignored(const watch::WatchedProcess& process) const;

  Rules rules_;
  // Since when each has done nothing; absent: it works.
  std::map<CardNumber, std::map<Key, std::optional<Now>>> idle_;
};

}  // namespace gpusched
