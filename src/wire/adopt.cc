#include "wire/adopt.h"

#include <limits>

#include "wire/environment.h"
#include "wire/labels.h"
#include "wire/spec_fields.h"

namespace gpusched {
namespace {

std::optional<std::string> fault_of_adoption(const JobSpec& spec) {
  if (auto fault = fault_of_label("name", spec.name)) return fault;
  if (auto fault = fault_of_label("project", spec.project)) return fault;
  for (const std::string& tag : spec.rare->tags) {
    if (auto fault = fault_of_label("tags", tag)) return fault;
  }
  return std::nullopt;
}

void read_time(Fields& fields, TimeRule& time) {
  fields.seconds("time_limit_s", time.limit);
  fields.seconds("grace_s", time.grace);
}

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
  fields.text("name", spec.name);
  fields.text("project", spec.project);
  fields.number("priority", body.priority, 0, 100);
  fields.number("vram_bytes", spec.needs.vram_bytes, 0, kBytesMost);
  fields.number("share_percent", spec.needs.share_percent, 0, 100);
  fields.flag("exclusive", spec.needs.exclusive);
  fields.number("cpus", spec.needs.cpus, 0, kCpusMost);
  fields.number("ram_bytes", spec.needs.ram_bytes, 0, kBytesMost);
  CardFilter cards;
  read_card_list(fields, "only_cards", cards.only);
  spec.needs.cards = std::move(cards);
  read_time(fields, spec.time);
  std::size_t preempt = 0;
  if (fields.word("preempt", {"auto", "never"}, preempt) && preempt == 1) {
    spec.preempt = PreemptPolicy::kNever;
  }
  RareAsks rare;
  fields.texts("tags", rare.tags);
  fields.number("vram_limit_bytes", rare.vram_limit_bytes, 0, kBytesMost);
  spec.rare = std::move(rare);
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  if (auto fault = fault_of_adoption(spec)) {
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
  fields.adopt(inner);
  read.started = Boot{Microseconds{static_cast<std::int64_t>(started)}};
  process = std::make_shared<const AdoptedProcess>(read);
}

}  // namespace gpusched
