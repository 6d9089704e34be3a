// GET /v1/tenants as the client sees it, and as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/render/render.h"

namespace gpusched::cli {

struct ProjectView {
  std::string name;  // Empty: those that are not named.
  double weight = 1;
  double usage_gpu_seconds = 0;
  double share_due = 0, share_got = 0;
};

struct TenantView {
  std::string name;
  double weight = 1;
  // Quotas; absent: none.
  std::optional<std::uint64_t> cards_most, vram_most, running_most, queued_most, time_limit_s;
  std::optional<std::uint64_t> highest_priority;
  std::string gpu_hours;  // "100/week"; empty: none.
  std::optional<double> gpu_hours_used;
  std::vector<std::string> users;
  double usage_gpu_seconds = 0;
  std::optional<double> share_due, share_got;
  std::vector<ProjectView> projects;
  std::uint64_t running = 0, cards = 0, vram_bytes = 0, waiting = 0;
};

Result<std::vector<TenantView>> parse_tenants(std::string_view body);
std::string render_tenants(const std::vector<TenantView>& tenants, const Page& page);
// One tenant, a line for each thing.
std::string render_tenant(const TenantView& tenant);

}  // namespace gpusched::cli
