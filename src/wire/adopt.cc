#include "wire/adopt.h"

#include <array>
#include <limits>

#include "wire/environment.h"
#include "wire/labels.h"
#include "wire/spec_fields.h"

namespace gpusched {
namespace {

// Those of a submission that make sense for a process that runs already.
constexpr std::array<std::string_view, 12> kFields = {
    "tags", "name",      "project",    "vram_bytes", "share_percent", "exclusive",
    "cpus", "ram_bytes", "only_cards", "grace_s",    "time_limit_s",  "vram_limit_bytes"};

}  // namespace

Result<AdoptBody> parse_adopt(std::string_view json, Seconds default_grace) {
  Result<JsonValue> value = parse_json(json);
  if (!value) return failure(value.error());
  Fields fields(*value);
  AdoptBody body;
  JobSpec& spec = body.spec;
  spec.time.grace = default_grace;
  if (!fields.number("pid", body.pid, 2, std::numeric_limits<int>::max())) {
    fields.fault("pid", "is missing, or not the number of a process");
  }
  fields.number("priority", body.priority, 0, 100);
  read_spec_fields(fields, spec, kFields);
  std::size_t preempt = 0;
  if (fields.word("preempt", {"auto", "never"}, preempt) && preempt == 1) {
    spec.preempt = PreemptPolicy::kNever;
  }
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
