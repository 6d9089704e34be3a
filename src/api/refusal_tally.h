// How many refusals of one asker become entries of the audit: the first few of a minute, and one
// that counts the others. Nobody fills the disk by being refused.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/audit.h"

namespace gpusched {

class RefusalTally {
 public:
  static constexpr Seconds kWithin{60};
  static constexpr std::size_t kAskersMost = 1024;

  // True: this one is written; otherwise it is counted. `most` entries of this asker in a minute.
  bool is_written(const std::string& asker, const AuditEntry& entry, std::size_t most, Now now);
  // The counts of minutes that are over.
  std::vector<AuditEntry> take_over(Now now);
  bool empty() const { return askers_.empty(); }
  std::size_t askers() const { return askers_.size(); }

 private:
  struct Asker {
    Boot since{};
    std::size_t written = 0;
    std::uint64_t counted = 0;
    AuditEntry last = {};  // Of those that are counted.
  };
  std::map<std::string, Asker> askers_;
};

}  // namespace gpusched
