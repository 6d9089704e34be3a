#include "wire/usage.h"

#include "json/json_fields.h"
#include "json/json_value.h"

namespace gpusched {

void write_gpu_usage(JsonWriter& json, const GpuUsage& usage) {
  json.begin_object().field("gpu_seconds", usage.gpu_seconds);
  json.field("peak_vram_bytes", usage.peak_vram_bytes);
  json.field("peak_card_vram_bytes", usage.peak_card_vram_bytes);
  json.field("mean_vram_bytes", usage.mean_vram_bytes);
  if (usage.mean_busy_percent) json.field("mean_busy_percent", *usage.mean_busy_percent);
  if (usage.mean_sm_active_percent) {
    json.field("mean_sm_active_percent", *usage.mean_sm_active_percent);
  }
  if (usage.energy_joules) json.field("energy_joules", *usage.energy_joules);
  json.end_object();
}

std::string gpu_usage_to_json(const GpuUsage& usage) {
  std::string text;
  JsonWriter json(text);
  write_gpu_usage(json, usage);
  return text;
}

namespace {

std::optional<double> real(const JsonObject& object, std::string_view name) {
  for (const auto& [key, value] : object) {
    if (key != name) continue;
    if (const auto* number = value.as<double>()) return *number;
    if (const auto* number = value.as<std::int64_t>()) return static_cast<double>(*number);
    if (const auto* number = value.as<std::uint64_t>()) return static_cast<double>(*number);
  }
  return std::nullopt;
}

}  // namespace

Result<GpuUsage> gpu_usage_from_json(std::string_view text) {
  const Result<JsonValue> value = parse_json(text);
  if (!value) return failure(value.error());
  const auto* object = value->as<JsonObject>();
  if (object == nullptr) return failure(ErrorCode::kInvalid, "not an object");
  GpuUsage usage;
  usage.gpu_seconds = real(*object, "gpu_seconds").value_or(0);
  usage.peak_vram_bytes = static_cast<std::uint64_t>(real(*object, "peak_vram_bytes").value_or(0));
  usage.peak_card_vram_bytes =
      static_cast<std::uint64_t>(real(*object, "peak_card_vram_bytes").value_or(0));
  usage.mean_vram_bytes = static_cast<std::uint64_t>(real(*object, "mean_vram_bytes").value_or(0));
  usage.mean_busy_percent = real(*object, "mean_busy_percent");
  usage.mean_sm_active_percent = real(*object, "mean_sm_active_percent");
  usage.energy_joules = real(*object, "energy_joules");
  return usage;
}

}  // namespace gpusched
