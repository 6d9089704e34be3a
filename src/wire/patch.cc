#include "wire/labels.h"
#include "wire/spec_fields.h"
#include "wire/submit.h"

namespace gpusched {

Result<JobPatch> parse_patch(std::string_view json) {
  Result<JsonValue> value = parse_json(json);
  if (!value) return failure(value.error());
  const auto* object = value->as<JsonObject>();
  if (object != nullptr && object->empty()) {
    return failure(ErrorCode::kInvalid, "nothing to change is named");
  }
  Fields fields(*value);
  JobPatch patch;
  if (int priority = 0; fields.number("priority", priority, 0, 100)) patch.priority = priority;
  read_patch_fields(fields, patch);
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  if (auto fault = fault_of_labels(patch.values())) {
    return failure(ErrorCode::kInvalid, std::move(*fault));
  }
  return patch;
}

}  // namespace gpusched
