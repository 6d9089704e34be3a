// What is said of a tenant and what it has used, as JSON: in the store and in requests and answers
// alike. A limit is a number, or "none" where another rule would set one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/model/tenant.h"
#include "json/json_fields.h"
#include "json/json_writer.h"

namespace gpusched {

// The limits that a rule may set: whole numbers, or "none".
struct TenantLimit {
  std::string_view name;
  std::optional<std::uint64_t> TenantRule::*place;
  std::uint64_t most;
};
inline constexpr std::array kTenantLimits = {
    TenantLimit{"cards", &TenantRule::cards, 1'000'000},
    TenantLimit{"vram_bytes", &TenantRule::vram_bytes, 1ULL << 60},
    TenantLimit{"running", &TenantRule::running, 1'000'000'000},
    TenantLimit{"queued", &TenantRule::queued, 1'000'000'000},
    TenantLimit{"time_limit_s", &TenantRule::time_limit_s, 1'000'000'000},
    TenantLimit{"highest_priority", &TenantRule::highest_priority, kPriorityMost},
};

// Only the fields that the rule says.
void write_tenant_rule(JsonWriter& json, const TenantRule& rule);
std::string tenant_rule_to_json(const TenantRule& rule);
Result<TenantRule> tenant_rule_from_json(std::string_view text);

std::string tenant_usage_to_json(const TenantUsage& usage);
Result<TenantUsage> tenant_usage_from_json(std::string_view text);

}  // namespace gpusched
