#include "wire/tenant.h"

#include <optional>

#include "json/json_value.h"

namespace gpusched {
namespace {

constexpr std::string_view kNone = "none";

std::optional<double> number_in(const JsonValue& value) {
  if (const auto* number = value.as<double>()) return *number;
  if (const auto* number = value.as<std::uint64_t>()) return static_cast<double>(*number);
  if (const auto* number = value.as<std::int64_t>()) return static_cast<double>(*number);
  return std::nullopt;
}

void read_weight(Fields& fields, TenantRule& rule) {
  const JsonValue* value = fields.value("weight");
  if (value == nullptr) return;
  const std::optional<double> weight = number_in(*value);
  if (!weight || !(*weight >= TenantRule::kWeightLeast) || *weight > TenantRule::kWeightMost) {
    return fields.fault("weight", "must be a number from 0.001 to 1000000");
  }
  rule.weight = *weight;
}

void read_limit(Fields& fields, const TenantLimit& field, TenantRule& rule) {
  const JsonValue* value = fields.value(field.name);
  if (value == nullptr) return;
  if (const auto* word = value->as<std::string>(); word != nullptr && *word == kNone) {
    rule.*field.place = kNoLimit;
    return;
  }
  const std::optional<std::uint64_t> number = whole_number(*value);
  if (!number || *number > field.most) {
    return fields.fault(field.name, "must be a whole number from 0 to " +
                                        std::to_string(field.most) + ", or \"none\"");
  }
  rule.*field.place = *number;
}

void read_hours(Fields& fields, TenantRule& rule) {
  std::string text;
  if (!fields.text("gpu_hours", text)) return;
  rule.gpu_hours = parse_gpu_hours(text);
  if (!rule.gpu_hours) {
    fields.fault("gpu_hours",
                 "must be like \"100/week\" (day, week, month, or 1d to 60d), or \"none\"");
  }
}

void read_projects(Fields& fields, TenantRule& rule) {
  const JsonValue* value = fields.value("projects");
  if (value == nullptr) return;
  const auto* object = value->as<JsonObject>();
  if (object == nullptr || object->size() > kProjectsMost) {
    return fields.fault("projects", "must be an object of at most 1000 names and weights");
  }
  ProjectWeights projects;
  for (const auto& [name, entry] : *object) {
    const std::optional<double> weight = number_in(entry);
    if (!weight || !(*weight >= TenantRule::kWeightLeast) || *weight > TenantRule::kWeightMost) {
      return fields.fault("projects", "must have weights from 0.001 to 1000000");
    }
    projects[name] = *weight;
  }
  rule.projects = std::move(projects);
}

Result<TenantRule> rule_in(const JsonValue& value) {
  Fields fields(value);
  TenantRule rule;
  read_weight(fields, rule);
  for (const TenantLimit& field : kTenantLimits) read_limit(fields, field, rule);
  read_hours(fields, rule);
  read_projects(fields, rule);
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  return rule;
}

Result<TenantUsage> usage_in(const JsonValue& value) {
  TenantUsage usage;
  const JsonValue* seconds = value.find("gpu_seconds");
  const JsonValue* at = value.find("counted_at_us");
  const JsonValue* boot = value.find("counted_boot_us");
  const JsonValue* days = value.find("days");
  const auto whole = [](const JsonValue* number) -> std::optional<std::int64_t> {
    const auto found = number != nullptr ? whole_number(*number) : std::nullopt;
    if (!found) return std::nullopt;
    return static_cast<std::int64_t>(*found);
  };
  const auto* list = days != nullptr ? days->as<JsonArray>() : nullptr;
  const auto used = seconds != nullptr ? number_in(*seconds) : std::nullopt;
  if (!used || !whole(at) || !whole(boot) || list == nullptr) {
    return failure(ErrorCode::kInvalid, "not the usage of a tenant");
  }
  usage.gpu_seconds = *used;
  usage.at = Wall{Microseconds{*whole(at)}};
  usage.boot = Boot{Microseconds{*whole(boot)}};
  for (const JsonValue& entry : *list) {
    const auto* pair = entry.as<JsonArray>();
    const auto day = pair != nullptr && pair->size() == 2 ? whole(&(*pair)[0]) : std::nullopt;
    const auto amount = day ? number_in((*pair)[1]) : std::nullopt;
    if (!amount) return failure(ErrorCode::kInvalid, "not a day and its GPU-seconds");
    usage.days[static_cast<int>(*day)] = *amount;
  }
  const JsonValue* projects = value.find("projects");
  const auto* by_name = projects != nullptr ? projects->as<JsonObject>() : nullptr;
  for (const auto& [name, entry] : by_name != nullptr ? *by_name : JsonObject{}) {
    const auto amount = number_in(entry);
    if (!amount) return failure(ErrorCode::kInvalid, "not a project and its GPU-seconds");
    usage.projects[name] = *amount;
  }
  return usage;
}

void write_amounts(JsonWriter& json, const std::map<std::string, double>& projects) {
  json.key("projects").begin_object();
  for (const auto& [name, amount] : projects) json.foreign_key(name).value(amount);
  json.end_object();
}

}  // namespace

void write_tenant_rule(JsonWriter& json, const TenantRule& rule) {
  json.begin_object();
  if (rule.weight) json.field("weight", *rule.weight);
  for (const TenantLimit& field : kTenantLimits) {
    const std::optional<std::uint64_t>& limit = rule.*field.place;
    if (!limit) continue;
    json.key(field.name);
    if (*limit == kNoLimit) {
      json.value(kNone);
    } else {
      json.value(*limit);
    }
  }
  if (rule.gpu_hours) json.field("gpu_hours", gpu_hours_text(*rule.gpu_hours));
  if (rule.projects) write_amounts(json, *rule.projects);
  json.end_object();
}

std::string tenant_rule_to_json(const TenantRule& rule) {
  std::string text;
  JsonWriter json(text);
  write_tenant_rule(json, rule);
  return text;
}

Result<TenantRule> tenant_rule_from_json(std::string_view text) {
  const Result<JsonValue> value = parse_json(text);
  if (!value) return failure(value.error());
  return rule_in(*value);
}

std::string tenant_usage_to_json(const TenantUsage& usage) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("gpu_seconds", usage.gpu_seconds);
  json.field("counted_at_us", usage.at.time_since_epoch().count());
  json.field("counted_boot_us", usage.boot.time_since_epoch().count());
  json.key("days").begin_array();
  for (const auto& [day, seconds] : usage.days) {
    json.begin_array().value(day).value(seconds).end_array();
  }
  json.end_array();
  if (!usage.projects.empty()) write_amounts(json, usage.projects);
  json.end_object();
  return text;
}

Result<TenantUsage> tenant_usage_from_json(std::string_view text) {
  const Result<JsonValue> value = parse_json(text);
  if (!value) return failure(value.error());
  return usage_in(*value);
}

}  // namespace gpusched
