// Leases as JSON (docs/api.md, "Leases").
#pragma once

#include <map>
#include <optional>
#include <string>

#include "api/context.h"
#include "core/explain/explain.h"
#include "wire/messages/lease.h"

namespace gpusched {

// Writes leases of one state at one moment: the queue is walked once for all of them.
// REQUIRES: the state does not change while this lives.
class LeaseWriter {
 public:
  LeaseWriter(const Context& context, const Principal& actor) : context_(context), actor_(actor) {}
  wire::Lease of(const Job& job);

 private:
  void fill_in_waiting(wire::Lease& answer, const Job& job);
  std::optional<std::uint64_t> position_of(JobId id);

  const Context& context_;
  Principal actor_;
  std::optional<WaitingReasons> reasons_;  // Made with the first one that waits.
  std::optional<std::map<JobId, std::uint64_t>> positions_;
};

// One lease: {"schema":1,"lease":{…}}.
std::string lease_json(const Context& context, const Principal& actor, const Job& job);

}  // namespace gpusched
