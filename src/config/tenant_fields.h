// What may be said of a tenant, one row each with its name, words and limits: the reader of
// `tenants:`, `config show` and the flags of `gpusched tenant set` all come from these rows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/model/tenant.h"

namespace gpusched {

struct TenantField {
  std::string_view key;
  // The error says what is wrong with the text, without the place.
  std::function<Result<void>(TenantRule&, const std::string& text)> read;
  // As it stands in the file; nullopt: the rule does not say it.
  std::function<std::optional<std::string>(const TenantRule&)> write;
};
const std::vector<TenantField>& tenant_fields();

// A tenant's name as it may stand in the file and in commands.
Result<void> check_tenant_name(const std::string& name);
// The map as it stands behind `tenants:`, each line behind `indent`; "{}" without tenants.
std::string tenants_text(const ConfiguredTenants& tenants, std::string_view indent);

}  // namespace gpusched
