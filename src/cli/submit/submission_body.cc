// A Submission as the body of POST /v1/jobs (docs/api.md, "Submit").
#include "cli/submit/submission.h"
#include "json/json_writer.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kInlineTasksMost = 1000;

template <class T>
void maybe(JsonWriter& json, std::string_view name, const std::optional<T>& value) {
  if (value) json.field(name, *value);
}

template <class T>
void list(JsonWriter& json, std::string_view name, const std::vector<T>& values) {
  if (values.empty()) return;
  json.key(name).begin_array();
  for (const T& value : values) json.value(value);
  json.end_array();
}

void card_list(JsonWriter& json, std::string_view name, const std::vector<CardName>& cards) {
  if (cards.empty()) return;
  json.key(name).begin_array();
  for (const CardName& card : cards) {
    std::visit([&json](const auto& word) { json.value(word); }, card);
  }
  json.end_array();
}

void write_process(JsonWriter& json, const Submission& from) {
  list(json, "command", from.command);
  if (from.shell) json.field("shell", true);
  json.field("working_directory", from.working_directory);
  json.key("environment").begin_array();
  for (const std::string& variable : from.environment) json.value(variable);
  json.end_array();
  json.field("umask", from.umask);
  json.key("resource_limits").begin_array();
  for (const Limit& limit : from.limits) {
    json.begin_object().field("resource", limit.resource).field("soft", limit.soft);
    json.field("hard", limit.hard).end_object();
  }
  json.end_array();
  maybe(json, "output_path", from.output);
  maybe(json, "error_path", from.error);
}

void write_needs(JsonWriter& json, const Submission& from) {
  if (from.gpus && from.gpus->all) {
    json.field("gpus", "all");
  } else if (from.gpus) {
    json.key("gpus").begin_object().field("least", from.gpus->least);
    json.field("most", from.gpus->most).end_object();
  }
  maybe(json, "vram_bytes", from.vram_bytes);
  maybe(json, "vram_limit_bytes", from.vram_limit_bytes);
  maybe(json, "share_percent", from.share_percent);
  if (from.exclusive) json.field("exclusive", true);
  card_list(json, "only_cards", from.only_cards);
  card_list(json, "avoid_cards", from.avoid_cards);
  maybe(json, "card_type", from.card_type);
  maybe(json, "cpus", from.cpus);
  maybe(json, "ram_bytes", from.ram_bytes);
  maybe(json, "cpu_use", from.cpu_use);
}

void write_rules(JsonWriter& json, const Submission& from) {
  maybe(json, "priority", from.priority);
  maybe(json, "time_limit_s", from.time_limit);
  if (from.signal) {
    json.key("signal").begin_object().field("number", from.signal->first);
    json.field("before_s", from.signal->second).end_object();
  }
  if (from.checkpoint) {
    json.key("checkpoint").begin_object().field("signal", from.checkpoint->first);
    json.field("grace_s", from.checkpoint->second).end_object();
  }
  maybe(json, "grace_s", from.grace);
  if (!from.after.empty()) {
    json.key("after").begin_array();
    for (const AfterEntry& entry : from.after) {
      json.begin_object().key("job").raw(entry.selector).field("kind", entry.kind).end_object();
    }
    json.end_array();
  }
  maybe(json, "retries", from.retries);
  maybe(json, "retry_back_off_s", from.back_off);
  list(json, "retry_causes", from.retry_causes);
  if (from.restartable) json.field("restartable", true);
  maybe(json, "preempt", from.preempt);
  maybe(json, "begin", from.begin);
  maybe(json, "expire", from.expire);
  maybe(json, "deadline", from.deadline);
  if (from.hold) json.field("hold", true);
}

void write_names(JsonWriter& json, const Submission& from) {
  maybe(json, "name", from.name);
  list(json, "tags", from.tags);
  maybe(json, "group", from.group);
  maybe(json, "project", from.project);
  maybe(json, "key", from.key);
  if (from.attach != AttachMode::kNone) {
    json.field("attach", from.attach == AttachMode::kPty ? "pty" : "pipes");
  }
  if (from.attach == AttachMode::kPty) {
    json.key("terminal").begin_object().field("rows", from.rows);
    json.field("columns", from.columns).end_object();
  }
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

Body write_body(const Submission& submission, const std::vector<SweepTask>& tasks) {
  Body body;
  body.lines = tasks.size() > kInlineTasksMost;
  JsonWriter json(body.text);
  json.begin_object();
  write_process(json, submission);
  write_needs(json, submission);
  write_rules(json, submission);
  write_names(json, submission);
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
