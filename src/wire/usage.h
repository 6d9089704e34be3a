// What an attempt used of its cards, as JSON: in the store and in answers alike.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/model/job.h"
#include "json/json_writer.h"

namespace gpusched {

void write_gpu_usage(JsonWriter& json, const GpuUsage& usage);
std::string gpu_usage_to_json(const GpuUsage& usage);
Result<GpuUsage> gpu_usage_from_json(std::string_view text);

}  // namespace gpusched
