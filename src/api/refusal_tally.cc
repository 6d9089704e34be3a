#include "api/refusal_tally.h"

#include <utility>

namespace gpusched {

bool RefusalTally::is_written(const std::string& asker, const AuditEntry& entry, std::size_t most,
                              Now now) {
  // Where somebody has very many addresses they count as one.
  const bool room = askers_.size() < kAskersMost || askers_.contains(asker);
  Asker& one = askers_.try_emplace(room ? asker : std::string(), Asker{now.boot}).first->second;
  if (one.written < most) {
    ++one.written;
    return true;
  }
  ++one.counted;
  one.last = entry;
  if (!room) one.last.from = "many addresses";
  return false;
}

std::vector<AuditEntry> RefusalTally::take_over(Now now) {
  std::vector<AuditEntry> counts;
  for (auto it = askers_.begin(); it != askers_.end();) {
    Asker& one = it->second;
    if (now.boot - one.since < kWithin) {
      ++it;
      continue;
    }
    if (one.counted > 0) {
      AuditEntry entry = std::move(one.last);
      entry.times = one.counted;
      counts.push_back(std::move(entry));
    }
    it = askers_.erase(it);
  }
  return counts;
}

}  // namespace gpusched
