// Who has which role: names of roles, and what the configuration says of users and Unix groups.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/access/principal.h"

namespace gpusched {

inline constexpr std::array kAllRoles = {Role::kViewer, Role::kUser, Role::kOperator,
                                         Role::kAdministrator};

// As it stands in files and commands: "viewer", "user", "operator", "admin".
std::string_view role_name(Role role);
std::optional<Role> role_named(std::string_view name);

// Everybody else is a user.
struct RoleBook {
  std::map<std::string, Role> users = {};
  std::map<std::string, Role> groups = {};  // Unix groups.

  bool empty() const { return users.empty() && groups.empty(); }
  friend bool operator==(const RoleBook&, const RoleBook&) = default;
};

// Who is named has that role; who is not, the highest of those of their groups.
Role role_in(const RoleBook& book, const std::string& user, const std::vector<std::string>& groups);

}  // namespace gpusched
