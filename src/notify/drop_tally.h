// What found no room in the outbox, for the administrator: counted by receiver, and gathered for a
// line in the log, so that many dropped messages are few lines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/notify/tell.h"

namespace gpusched {

class DropTally {
 public:
  struct Line {
    std::string receiver;
    std::uint64_t notices = 0;
    std::string users;  // "ml1 (40), ml2 (2) and 3 more": who lost most comes first.
  };
  void add(const std::vector<Untold>& untold);
  // What has come since the last time, a line for each receiver.
  std::vector<Line> take();
  bool empty() const { return gathered_.empty(); }
  // Since the daemon began.
  std::uint64_t total(const std::string& receiver) const;

 private:
  std::map<std::string, std::uint64_t> totals_;
  std::map<std::string, std::map<std::string, std::uint64_t>> gathered_;  // By receiver, user.
};

}  // namespace gpusched
