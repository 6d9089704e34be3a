#include "wire/spec_fields.h"
#include "wire/submit.h"
#include "wire/submit_check.h"

namespace gpusched {

Result<JobPatch> parse_patch(std::string_view json, FieldName name) {
  Result<JsonValue> value = parse_json(json);
  if (!value) return failure(value.error());
  const auto* object = value->as<JsonObject>();
  if (object != nullptr && object->empty()) {
    return failure(ErrorCode::kInvalid, "nothing to change is named");
  }
  Fields fields(*value, {}, name);
  JobPatch patch;
  if (int priority = 0; fields.number("priority", priority, 0, 100)) patch.priority = priority;
  if (std::uint64_t before = 0; fields.number("before", before, 1, INT64_MAX)) {
    patch.before = JobId{before};
    if (object->size() > 1)
      fields.fault("before", "changes the order alone; ask for the rest apart");
  }
  read_patch_fields(fields, patch);
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  // As in a submission: words, unless it is said to be a line.
  if (patch.has(&JobSpec::argv) && !patch.has(&JobSpec::shell)) patch.put(&JobSpec::shell, false);
  if (auto fault = fault_of(patch, name)) {
    return failure(ErrorCode::kInvalid, std::move(*fault));
  }
  return patch;
}

}  // namespace gpusched
