// What is said of a tenant and what it has used, as JSON: in the store and in requests and answers
// alike. A limit is a number, or "none" where another rule would set one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/model/tenant.h"
#include "json/json_fields.h"
#include "json/json_writer.h"

namespace gpusched {

// Only the fields that the rule says.
void write_tenant_rule(JsonWriter& json, const TenantRule& rule);
std::string tenant_rule_to_json(const TenantRule& rule);
Result<TenantRule> tenant_rule_from_json(std::string_view text);

std::string tenant_usage_to_json(const TenantUsage& usage);
Result<TenantUsage> tenant_usage_from_json(std::string_view text);

}  // namespace gpusched
