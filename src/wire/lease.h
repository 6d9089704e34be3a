// Leases in JSON: the body of POST /v1/leases, and the terms as they are stored and shown.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/model/job.h"
#include "json/json_fields.h"
#include "json/json_writer.h"

namespace gpusched {

struct LeaseBody {
  JobSpec spec;  // With its lease; its pid is 0 where the body names none.
  int priority = 50;
  // It is given up when it was not granted within this; 0: it waits as long as it takes.
  std::chrono::milliseconds wait_at_most{0};
};
// The body of POST /v1/leases: one lease, or a list of them under "leases".
struct LeaseBodies {
  std::vector<LeaseBody> leases;
  bool list = false;
};
inline constexpr std::size_t kLeasesMost = 500;  // Of one list.
Result<LeaseBodies> parse_leases(std::string_view json);

// The body of POST /v1/leases/{id}/renew.
Result<Seconds> parse_renewal(std::string_view json);

// "lease":{…}
void write_lease_terms(JsonWriter& json, const LeaseTerms& terms);
void read_lease_terms(Fields& fields, std::shared_ptr<LeaseTerms>& terms);

}  // namespace gpusched
