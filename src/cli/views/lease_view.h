// GET /v1/leases as the client sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/views/view_reader.h"

namespace gpusched::cli {

struct LeaseView {
  std::uint64_t id = 0;
  std::string state, reason, message, name, user, holder;
  int pid = 0;
  std::vector<int> cards;
  std::optional<Wall> expires_at;
  std::vector<std::pair<std::string, std::string>> environment;
};

LeaseView lease_of(const Reader& lease);
// Of an answer about one lease.
Result<LeaseView> parse_lease_view(const std::string& body);

}  // namespace gpusched::cli
