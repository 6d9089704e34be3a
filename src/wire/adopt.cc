#include "wire/adopt.h"

#include <limits>

#include "wire/environment.h"
#include "wire/labels.h"
#include "wire/message_json.h"
#include "wire/messages/lease.h"
#include "wire/spec_fields.h"
#include "wire/spec_schema.h"

namespace gpusched {

Result<AdoptBody> parse_adopt(std::string_view json, Seconds default_grace) {
  Result<JsonValue> value = parse_json(json);
  if (!value) return failure(value.error());
  Fields fields(*value);
  AdoptBody body;
  JobSpec& spec = body.spec;
  spec.time.grace = default_grace;
  wire::AdoptRequest asked;
  wire::take_fields(fields, asked);
  read_spec_fields(fields, spec, wire::kAdoptFields);
  body.pid = asked.pid;
  body.priority = asked.priority;
  if (asked.preempt == "never") spec.preempt = PreemptPolicy::kNever;
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  if (auto fault = fault_of_labels(spec)) {
    return failure(ErrorCode::kInvalid, std::move(*fault));
  }
  spec.environment = unnamed_environment({});
  return body;
}

void write_adopted(JsonWriter& json, const AdoptedProcess& process) {
  json.key("adopted").begin_object().field("pid", process.pid);
  json.field("started_us", process.started.time_since_epoch().count());
  json.field("by_rule", process.by_rule).end_object();
}

void read_adopted(Fields& fields, std::shared_ptr<const AdoptedProcess>& process) {
  const JsonValue* adopted = fields.value("adopted");
  if (adopted == nullptr) return;
  Fields inner(*adopted, "adopted.");
  AdoptedProcess read;
  std::uint64_t started = 0;
  inner.number("pid", read.pid, 0, std::numeric_limits<int>::max());
  inner.number("started_us", started, 0, std::numeric_limits<std::int64_t>::max());
  inner.flag("by_rule", read.by_rule);
  inner.close();
  fields.merge_fault(inner);
  read.started = Boot{Microseconds{static_cast<std::int64_t>(started)}};
  process = std::make_shared<const AdoptedProcess>(read);
}

}  // namespace gpusched
