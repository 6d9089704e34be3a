// A Submission as the body of POST /v1/jobs (docs/api.md, "Submit").
#include "cli/submit/submission.h"
#include "json/json_writer.h"
#include "wire/spec_values.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kInlineTasksMost = 1000;

void write_process(JsonWriter& json, const Submission& from) {
  write_strings(json, "command", from.command);
  if (from.shell) json.field("shell", true);
  json.field("working_directory", from.working_directory);
  write_strings(json, "environment", from.environment);
  if (!from.variables.empty()) write_strings(json, "variables", from.variables);
  json.field("umask", from.umask);
  json.key("resource_limits");
  write_value(json, std::make_shared<const ResourceLimits>(from.limits), Plain{});
  if (from.attach == Attach::kNone) return;
  json.key("attach");
  write_value(json, from.attach, Plain{});
  if (from.attach == Attach::kPty) {
    json.key("terminal").begin_object().field("rows", from.rows);
    json.field("columns", from.columns).end_object();
  }
}

void write_single_fields(JsonWriter& json, const Submission& from) {
  write_process(json, from);
  if (!from.fields.empty()) json.raw(from.fields);
}

void write_many(JsonWriter& json, const Submission& from) {
  if (!from.after.empty()) write_after(json, from.after);
  if (from.array) {
    json.key("array").begin_object().field("indices", from.array->indices);
    json.field("limit", from.array->limit).end_object();
  }
}

void write_task(JsonWriter& json, const SweepTask& task) {
  json.begin_object().key("values").begin_object();
  for (const auto& [name, value] : task) json.foreign_key(name).value(value);
  json.end_object().end_object();
}

}  // namespace

void write_after(JsonWriter& json, const std::vector<AfterEntry>& after) {
  json.key("after").begin_array();
  for (const AfterEntry& entry : after) {
    json.begin_object().key("job").raw(entry.selector).field("kind", entry.kind).end_object();
  }
  json.end_array();
}

std::string write_single(const Submission& submission) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_single_fields(json, submission);
  json.end_object();
  return text;
}

Body write_body(const Submission& submission, const std::vector<SweepTask>& tasks) {
  Body body;
  body.lines = tasks.size() > kInlineTasksMost;
  JsonWriter json(body.text);
  json.begin_object();
  write_single_fields(json, submission);
  write_many(json, submission);
  if (!tasks.empty() && !body.lines) {
    json.key("tasks").begin_array();
    for (const SweepTask& task : tasks) write_task(json, task);
    json.end_array();
  }
  json.end_object();
  if (!body.lines) return body;
  for (const SweepTask& task : tasks) {
    body.text += '\n';
    JsonWriter line(body.text);
    write_task(line, task);
  }
  body.text += '\n';
  return body;
}

}  // namespace gpusched::cli
