// GET /v1/leases as the client sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "wire/messages/lease.h"

namespace gpusched::cli {

using LeaseView = wire::Lease;

Result<std::vector<LeaseView>> parse_lease_views(const std::string& body);
// Of an answer about one lease.
Result<LeaseView> parse_lease_view(const std::string& body);

}  // namespace gpusched::cli
