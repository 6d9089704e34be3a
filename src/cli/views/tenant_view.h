// GET /v1/tenants as the client sees it, and as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/render/render.h"
#include "wire/messages/tenant.h"

namespace gpusched::cli {

using ProjectView = wire::Project;
using TenantView = wire::Tenant;

Result<std::vector<TenantView>> parse_tenants(std::string_view body);
std::string render_tenants(const std::vector<TenantView>& tenants, const Page& page);
// One tenant, a line for each thing.
std::string render_tenant(const TenantView& tenant);

}  // namespace gpusched::cli
