#include "config/tenants_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "config/tenant_fields.h"

namespace gpusched {
namespace {

constexpr std::size_t kTenantsMost = 10'000;
constexpr std::string_view kUsers = "users";

// {vision: 2, speech: 1} as the flag takes it.
std::string weights_text(const YAML::Node& map) {
  std::string text;
  for (const auto& entry : map) {
    if (!text.empty()) text += ',';
    text += entry.first.IsScalar() ? entry.first.Scalar() : std::string();
    text += '=' + (entry.second.IsScalar() ? entry.second.Scalar() : std::string());
  }
  return text.empty() ? "none" : text;
}

class TenantsReading {
 public:
  explicit TenantsReading(const WrongAt& wrong_at) : wrong_at_(wrong_at) {}

  Result<ConfiguredTenants> map(const YAML::Node& map) {
    for (const auto& entry : map) {
      const YAML::Mark mark = entry.first.Mark();
      if (!entry.first.IsScalar()) return wrong_at_(mark, "a tenant's name must be a word");
      const std::string& name = entry.first.Scalar();
      if (auto checked = check_tenant_name(name); !checked) {
        return wrong_at_(mark, "tenants: " + checked.error().message);
      }
      if (name == kGroupMark) {
        return wrong_at_(mark, "tenants: a Unix group is written as \"group:lab\"");
      }
      if (tenants_.rules.size() == kTenantsMost) {
        return wrong_at_(mark, fmt::format("tenants: more than {} of them", kTenantsMost));
      }
      if (!tenants_.rules.try_emplace(name).second) {
        return wrong_at_(mark, fmt::format("\"tenants.{}\" is set twice", name));
      }
      if (name.starts_with(kGroupMark)) tenants_.groups.push_back(name.substr(kGroupMark.size()));
      if (entry.second.IsNull()) continue;
      if (!entry.second.IsMap()) {
        return wrong_at_(entry.second.Mark(),
                         fmt::format("tenants.{} must be like {{weight: 2, cards: 4}}", name));
      }
      if (auto read = tenant(name, entry.second); !read) return failure(read.error());
    }
    return std::move(tenants_);
  }

 private:
  Result<void> tenant(const std::string& name, const YAML::Node& node) {
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const YAML::Mark mark = entry.first.Mark();
      if (!entry.first.IsScalar()) return wrong_at_(mark, "a setting's name must be a word");
      const std::string& key = entry.first.Scalar();
      const std::string path = fmt::format("tenants.{}.{}", name, key);
      if (!seen.insert(key).second) {
        return wrong_at_(mark, fmt::format("\"{}\" is set twice", path));
      }
      if (key == kUsers) {
        if (auto read = users(name, path, entry.second); !read) return read;
        continue;
      }
      const auto& fields = tenant_fields();
      const auto field = std::ranges::find(fields, std::string_view(key), &TenantField::key);
      if (field == fields.end()) return unknown(mark, path, key);
      const bool weights = key == "projects" && entry.second.IsMap();
      if (!entry.second.IsScalar() && !weights) {
        return wrong_at_(entry.second.Mark(), path + " must be a single value");
      }
      const std::string text = weights ? weights_text(entry.second) : entry.second.Scalar();
      const auto read = field->read(tenants_.rules[name], text);
      if (!read) {
        return wrong_at_(entry.second.Mark(), fmt::format("{}: {}", path, read.error().message));
      }
    }
    return {};
  }

  Result<void> users(const std::string& name, const std::string& path, const YAML::Node& list) {
    if (name == kDefaultTenant) {
      return wrong_at_(list.Mark(), path + ": the default holds for all who are named nowhere");
    }
    if (name.starts_with(kGroupMark)) {
      return wrong_at_(list.Mark(),
                       path + ": the users of this tenant are those of the Unix group");
    }
    if (!list.IsSequence()) return wrong_at_(list.Mark(), path + " must be a list such as [a, b]");
    for (const YAML::Node& user : list) {
      if (!user.IsScalar()) return wrong_at_(user.Mark(), path + " must be a list of words");
      if (auto checked = check_tenant_name(user.Scalar()); !checked) {
        return wrong_at_(user.Mark(), fmt::format("{}: \"{}\" is no user", path, user.Scalar()));
      }
      const auto [place, fresh] = tenants_.tenant_of_user.try_emplace(user.Scalar(), name);
      if (!fresh) {
        return wrong_at_(user.Mark(), fmt::format("{}: user {} belongs to tenant {} already", path,
                                                  user.Scalar(), place->second));
      }
    }
    return {};
  }

  Result<void> unknown(const YAML::Mark& mark, const std::string& path, const std::string& key) {
    std::vector<std::string_view> candidates = {kUsers};
    for (const TenantField& field : tenant_fields()) candidates.push_back(field.key);
    std::string message = fmt::format("unknown setting \"{}\"", path);
    const std::string nearest = nearest_word(key, candidates.data(), candidates.size());
    if (!nearest.empty()) message += fmt::format("; did you mean \"{}\"?", nearest);
    return wrong_at_(mark, message);
  }

  const WrongAt& wrong_at_;
  ConfiguredTenants tenants_;
};

}  // namespace

Result<ConfiguredTenants> read_tenants(const YAML::Node& map, const WrongAt& wrong_at) {
  return TenantsReading(wrong_at).map(map);
}

}  // namespace gpusched
