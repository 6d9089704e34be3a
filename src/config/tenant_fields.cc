#include "config/tenant_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "config/values.h"

namespace gpusched {
namespace {

constexpr std::size_t kTenantNameMost = 128;
constexpr std::int64_t kCountMost = 1'000'000;
// What stands for the projects that are not named.
constexpr std::string_view kOtherProjects = "others";

// "none" stands for no limit.
template <class Place, class Read, class Write>
TenantField limit_field(std::string_view key, Place place, Read read, Write write) {
  return {key,
          [place, read](TenantRule& rule, const std::string& text) -> Result<void> {
            if (text == "none") {
              place(rule) = kNoLimit;
              return {};
            }
            const auto value = read(text);
            if (!value) return failure(value.error());
            place(rule) = static_cast<std::uint64_t>(*value);
            return {};
          },
          [place, write](const TenantRule& rule) -> std::optional<std::string> {
            const std::optional<std::uint64_t>& limit = place(rule);
            if (!limit) return std::nullopt;
            return *limit == kNoLimit ? "none" : write(*limit);
          }};
}

template <class Place>
TenantField count_field(std::string_view key, Place place) {
  return limit_field(
      key, place, [](const std::string& text) { return read_number(text, 0, kCountMost); },
      [](std::uint64_t count) { return std::to_string(count); });
}

Result<double> read_weight(const std::string& text) {
  double weight = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, weight, std::chars_format::fixed);
  if (read.ec != std::errc() || read.ptr != end || !(weight >= TenantRule::kWeightLeast) ||
      weight > TenantRule::kWeightMost) {
    return wrong(fmt::format("\"{}\" is not a number from 0.001 to 1000000", text));
  }
  return weight;
}

TenantField weight_field() {
  return {"weight",
          [](TenantRule& rule, const std::string& text) -> Result<void> {
            const auto weight = read_weight(text);
            if (!weight) return failure(weight.error());
            rule.weight = *weight;
            return {};
          },
          [](const TenantRule& rule) -> std::optional<std::string> {
            if (!rule.weight) return std::nullopt;
            return fmt::format("{}", *rule.weight);
          }};
}

TenantField hours_field() {
  return {"gpu_hours",
          [](TenantRule& rule, const std::string& text) -> Result<void> {
            rule.gpu_hours = parse_gpu_hours(text);
            if (rule.gpu_hours) return {};
            return wrong(fmt::format(
                "\"{}\" is not like 100/week (per day, week, month, or 1d to 60d), or none", text));
          },
          [](const TenantRule& rule) -> std::optional<std::string> {
            if (!rule.gpu_hours) return std::nullopt;
            return gpu_hours_text(*rule.gpu_hours);
          }};
}

Result<void> read_projects(TenantRule& rule, const std::string& text) {
  ProjectWeights projects;
  std::string_view rest = text == "none" ? "" : std::string_view(text);
  while (!rest.empty()) {
    const std::string part(take_until(rest, ','));
    const std::size_t equals = part.rfind('=');
    if (equals == std::string::npos) {
      return wrong(fmt::format("\"{}\" is not like vision=2,speech=1, or none", text));
    }
    std::string name = part.substr(0, equals);
    if (name == kOtherProjects) name.clear();
    const auto weight = read_weight(part.substr(equals + 1));
    if (!weight) return failure(weight.error());
    if (!projects.emplace(name, *weight).second) {
      return wrong(fmt::format("\"{}\" is named twice", part.substr(0, equals)));
    }
  }
  if (projects.size() > kProjectsMost) {
    return wrong(fmt::format("more than {} projects", kProjectsMost));
  }
  rule.projects = std::move(projects);
  return {};
}

TenantField projects_field() {
  return {"projects", read_projects, [](const TenantRule& rule) -> std::optional<std::string> {
            if (!rule.projects) return std::nullopt;
            std::vector<std::string> parts;
            for (const auto& [name, weight] : *rule.projects) {
              const std::string_view word = name.empty() ? kOtherProjects : name;
              parts.push_back(fmt::format("{}: {}", quoted(std::string(word)), weight));
            }
            return fmt::format("{{{}}}", fmt::join(parts, ", "));
          }};
}

Result<std::int64_t> read_time_limit(const std::string& text) {
  const auto limit = parse_duration(text);
  if (!limit) return failure(limit.error());
  if (*limit < Seconds{1}) return wrong("a time limit has at least a second");
  return limit->count();
}

// A band's name stands for its highest priority.
struct NamedPriority {
  std::string_view name;
  std::int64_t highest;
};
constexpr std::array kBandTops = {
    NamedPriority{"idle", 19}, NamedPriority{"low", 39}, NamedPriority{"normal", 69},
    NamedPriority{"high", kUsersHighestPriority}, NamedPriority{"urgent", kPriorityMost}};

Result<std::int64_t> read_priority(const std::string& text) {
  const auto named = std::ranges::find(kBandTops, std::string_view(text), &NamedPriority::name);
  if (named != kBandTops.end()) return named->highest;
  if (auto number = read_number(text, 0, kPriorityMost)) return *number;
  return wrong(fmt::format(
      "\"{}\" is no priority; write 0 to 100, or idle, low, normal, high, urgent", text));
}

std::string priority_text(std::uint64_t priority) {
  const auto named =
      std::ranges::find(kBandTops, static_cast<std::int64_t>(priority), &NamedPriority::highest);
  return named == kBandTops.end() ? std::to_string(priority) : std::string(named->name);
}

}  // namespace

const std::vector<TenantField>& tenant_fields() {
  static const std::vector<TenantField> fields = {
      weight_field(),
      count_field(
          "cards", [](auto& rule) -> auto& { return rule.cards; }),
      limit_field(
          "vram", [](auto& rule) -> auto& { return rule.vram_bytes; },
          [](const std::string& text) { return read_size(text, 0, 1ULL << 60); },
          [](std::uint64_t bytes) { return exact_size(bytes); }),
      count_field(
          "running", [](auto& rule) -> auto& { return rule.running; }),
      count_field(
          "queued", [](auto& rule) -> auto& { return rule.queued; }),
      hours_field(),
      limit_field(
          "time_limit", [](auto& rule) -> auto& { return rule.time_limit_s; }, read_time_limit,
          [](std::uint64_t seconds) {
            return exact_duration(Seconds{static_cast<std::int64_t>(seconds)});
          }),
      limit_field(
          "highest_priority", [](auto& rule) -> auto& { return rule.highest_priority; },
          read_priority, priority_text),
      projects_field(),
  };
  return fields;
}

Result<void> check_tenant_name(const std::string& name) {
  const bool plain = std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
  if (name.empty() || name.size() > kTenantNameMost || !plain || name.find('/') != name.npos) {
    return wrong(
        fmt::format("\"{}\" is no tenant's name: 1 to {} letters, digits or signs, no / "
                    "and no blanks",
                    name, kTenantNameMost));
  }
  return {};
}

std::string tenants_text(const ConfiguredTenants& tenants, std::string_view indent) {
  if (tenants.rules.empty()) return "{}";
  std::string out;
  // Groups last, in their order: of two the first counts.
  std::vector<std::string> names;
  for (const auto& [name, rule] : tenants.rules) {
    if (!name.starts_with(kGroupMark)) names.push_back(name);
  }
  for (const std::string& group : tenants.groups) names.push_back(std::string(kGroupMark) + group);
  for (const std::string& name : names) {
    const TenantRule& rule = tenants.rules.at(name);
    std::vector<std::string> parts;
    for (const TenantField& field : tenant_fields()) {
      if (const auto value = field.write(rule)) {
        parts.push_back(fmt::format("{}: {}", field.key, *value));
      }
    }
    std::vector<std::string> users;
    for (const auto& [user, tenant] : tenants.tenant_of_user) {
      if (tenant == name) users.push_back(quoted(user));
    }
    if (!users.empty()) parts.push_back(fmt::format("users: [{}]", fmt::join(users, ", ")));
    out += fmt::format("\n{}{}: {{{}}}", indent, quoted(name), fmt::join(parts, ", "));
  }
  return out;
}

}  // namespace gpusched
