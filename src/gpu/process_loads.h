// How much each process uses its card, smoothed: a spike or an oscillation must not let jobs come
// and go, while the end of a process counts at once. Also since when a process has held memory
// without using the card.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/card_view.h"
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
  struct Known {
    double load = 0;
    Boot looked{};
    std::optional<Now> idle;  // Since when it has done nothing.
  };
  bool is_ignored(const watch::WatchedProcess& process) const;

  Rules rules_;
  std::map<CardNumber, std::map<Key, Known>> known_;
};

}  // namespace gpusched
