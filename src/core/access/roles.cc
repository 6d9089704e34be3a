#include "core/access/roles.h"

#include <algorithm>

namespace gpusched {

std::string_view role_name(Role role) {
  switch (role) {
    case Role::kViewer:
      return "viewer";
    case Role::kUser:
      return "user";
    case Role::kOperator:
      return "operator";
    case Role::kAdministrator:
      return "admin";
  }
  return {};
}

std::optional<Role> role_named(std::string_view name) {
  for (const Role role : kAllRoles) {
    if (role_name(role) == name) return role;
  }
  return std::nullopt;
}

Role role_in(const RoleBook& book, const std::string& user,
             const std::vector<std::string>& groups) {
  if (const auto named = book.users.find(user); named != book.users.end()) return named->second;
  std::optional<Role> highest;
  for (const std::string& group : groups) {
    const auto found = book.groups.find(group);
    if (found == book.groups.end()) continue;
    highest = highest ? std::max(*highest, found->second) : found->second;
  }
  return highest.value_or(Role::kUser);
}

}  // namespace gpusched
