#include "wire/spec.h"

#include "json/json_writer.h"
#include "wire/adopt.h"
#include "wire/lease.h"
#include "wire/needs.h"
#include "wire/spec_fields.h"

namespace gpusched {
namespace {

void write_lists(JsonWriter& json, const JobSpec& spec) {
  json.key("resource_limits").begin_array();
  for (const ResourceLimit& limit : spec.limits ? *spec.limits : ResourceLimits()) {
    json.begin_object().field("resource", limit.resource).field("soft", limit.soft);
    json.field("hard", limit.hard).end_object();
  }
  json.end_array();
  write_strings(json, "tags", spec.rare->tags);
  write_after(json, spec.rare->after);
  write_strings(json, "retry_causes", cause_names(spec.retry.causes));
}

}  // namespace

std::string spec_to_json(const JobSpec& spec) {
  std::string out;
  out.reserve(1024);
  JsonWriter json(out);
  json.begin_object();
  write_strings(json, "command", spec.argv);
  json.field("shell", spec.shell).field("working_directory", spec.working_directory);
  json.field("umask", spec.umask);
  write_lists(json, spec);
  json.field("name", spec.name).field("group", spec.group).field("project", spec.project);
  json.field("key", spec.rare->key);
  write_needs_fields(json, spec.needs);
  json.field("time_limit_s", spec.time.limit).field("grace_s", spec.time.grace);
  write_warn_signal(json, "signal", spec.time);
  json.field("retries", spec.retry.retries).field("retry_back_off_s", spec.retry.back_off);
  json.field("restartable", spec.restartable).field("preempt", preempt_name(spec.preempt));
  // Times are stored to the millisecond; that is how they came in.
  json.field("begin", spec.rare->begin).field("expire", spec.rare->expire);
  if (spec.rare->deadline) json.field("deadline", spec.rare->deadline);
  json.field("output_path", spec.rare->output_path).field("error_path", spec.rare->error_path);
  json.field("attach", attach_name(spec.attach));
  json.key("terminal").begin_object().field("rows", spec.rare->terminal_rows);
  json.field("columns", spec.rare->terminal_columns).end_object();
  if (spec.rare->array_limit > 0) {
    json.key("array").begin_object().field("limit", spec.rare->array_limit).end_object();
  }
  if (spec.rare->vram_limit_bytes > 0) json.field("vram_limit_bytes", spec.rare->vram_limit_bytes);
  if (spec.saves) write_save_terms(json, spec.saves.get());
  if (spec.lease) write_lease_terms(json, *spec.lease);
  if (spec.adopted) write_adopted(json, *spec.adopted);
  json.end_object();
  return out;
}

Result<JobSpec> spec_from_json(std::string_view text) {
  Result<JsonValue> value = parse_json(text);
  if (!value) return failure(value.error());
  Fields fields(*value);
  JobSpec spec;
  read_spec_fields(fields, spec);
  if (const JsonValue* array = fields.value("array")) {
    Fields inner(*array, "array.");
    inner.number("limit", spec.rare.edit().array_limit, 0, kTasksAtOnceMost);
    inner.close();
    fields.adopt(inner);
  }
  read_lease_terms(fields, spec.lease);
  read_adopted(fields, spec.adopted);
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  return spec;
}

}  // namespace gpusched
