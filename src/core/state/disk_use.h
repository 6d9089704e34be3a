// What tenants' jobs keep on the disk of the state directory: checkpoints and logs. Who has more
// than the limit starts nothing until it has less; nothing of it is removed, and nobody is ended.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gpusched {

struct DiskUse {
  std::map<std::string, std::uint64_t> bytes;  // By tenant.
  std::uint64_t limit = 0;                     // For each; 0: there is none.

  std::uint64_t of(const std::string& tenant) const {
    const auto found = bytes.find(tenant);
    return found == bytes.end() ? 0 : found->second;
  }
  bool too_much(const std::string& tenant) const { return limit > 0 && of(tenant) > limit; }
  friend bool operator==(const DiskUse&, const DiskUse&) = default;
};

}  // namespace gpusched
