#include "config/roles_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <set>
#include <string_view>
#include <vector>

#include "config/tenant_fields.h"
#include "config/values.h"
#include "core/model/tenant.h"

namespace gpusched {
namespace {

constexpr std::size_t kNamedMost = 10'000;

Result<void> take_name(RoleBook& book, Role role, const std::string& text) {
  const bool group = text.starts_with(kGroupMark);
  const std::string name = group ? text.substr(kGroupMark.size()) : text;
  if (!check_tenant_name(name)) {
    return wrong(fmt::format("\"{}\" is no user, and no group such as group:lab", text));
  }
  if (book.users.size() + book.groups.size() == kNamedMost) {
    return wrong(fmt::format("more than {} users and groups", kNamedMost));
  }
  const auto [place, fresh] = (group ? book.groups : book.users).try_emplace(name, role);
  if (fresh) return {};
  return wrong(fmt::format("{} has the role {} already", text, role_name(place->second)));
}

}  // namespace

Result<RoleBook> read_roles(const YAML::Node& map, const WrongAt& wrong_at) {
  RoleBook book;
  std::set<Role> seen;
  for (const auto& entry : map) {
    const YAML::Mark mark = entry.first.Mark();
    const auto role =
        entry.first.IsScalar() ? role_named(entry.first.Scalar()) : std::optional<Role>();
    if (!role) return wrong_at(mark, "roles: a role is viewer, user, operator or admin");
    const std::string path = fmt::format("roles.{}", role_name(*role));
    if (!seen.insert(*role).second) return wrong_at(mark, fmt::format("\"{}\" is set twice", path));
    const YAML::Node& list = entry.second;
    if (!list.IsSequence()) {
      return wrong_at(list.Mark(), path + " must be a list such as [user1, \"group:lab\"]");
    }
    for (const YAML::Node& name : list) {
      if (!name.IsScalar()) return wrong_at(name.Mark(), path + " must be a list of words");
      if (auto taken = take_name(book, *role, name.Scalar()); !taken) {
        return wrong_at(name.Mark(), fmt::format("{}: {}", path, taken.error().message));
      }
    }
  }
  return book;
}

std::string roles_text(const RoleBook& roles) {
  std::vector<std::string> parts;
  for (const Role role : kAllRoles) {
    std::vector<std::string> names;
    for (const auto& [name, of] : roles.users) {
      if (of == role) names.push_back(quoted(name));
    }
    for (const auto& [name, of] : roles.groups) {
      if (of == role) names.push_back(quoted(std::string(kGroupMark) + name));
    }
    if (names.empty()) continue;
    parts.push_back(fmt::format("{}: [{}]", role_name(role), fmt::join(names, ", ")));
  }
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace gpusched
