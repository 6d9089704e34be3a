#include "wire/submit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sha256.h"
#include "wire/environment.h"
#include "wire/spec.h"
#include "wire/spec_fields.h"
#include "wire/submit_check.h"

namespace gpusched {
namespace {

tl::unexpected<Error> invalid(std::string message) {
  return failure(ErrorCode::kInvalid, std::move(message));
}

tl::unexpected<Error> too_many(std::uint64_t most) {
  return failure(ErrorCode::kTooLarge,
                 fmt::format("a submission may have at most {} jobs; this one has more", most));
}

bool good_value_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

// {"values":{"lr":"0.1"}}; numbers in it are taken as they would be printed.
Result<SubmitAsked::Task> read_task(const JsonValue& value, std::uint64_t index) {
  SubmitAsked::Task task;
  task.index = static_cast<std::uint32_t>(index);
  Fields fields(value, "tasks.");
  if (const JsonValue* values = fields.value("values")) {
    const auto* object = values->as<JsonObject>();
    if (object == nullptr) fields.fault("values", "must be an object of strings");
    if (object != nullptr && object->size() > spec_fields::kParametersMost) {
      return invalid(fmt::format("a job of a sweep may have at most {} parameters; this one has {}",
                                 spec_fields::kParametersMost, object->size()));
    }
    std::size_t bytes = 0;
    for (const auto& [name, entry] : object != nullptr ? *object : JsonObject{}) {
      const auto* text = entry.as<std::string>();
      if (!good_value_name(name)) {
        fields.fault("values", "has a name that is not made of letters, digits, '_', '-', '.'");
      } else if (text == nullptr) {
        fields.fault("values", fmt::format("must be strings, but {} is {}", name, entry.kind()));
      } else if (text->find('\0') != std::string::npos) {
        fields.fault("values", "must not contain a NUL byte");
      } else {
        bytes += name.size() + text->size();
        task.values.emplace_back(name, *text);
      }
    }
    if (bytes > spec_fields::kParameterBytesMost) {
      return invalid(
          fmt::format("the parameters of one job may have at most {} KiB together; these have {}",
                      spec_fields::kParameterBytesMost / 1024, (bytes + 1023) / 1024));
    }
  }
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  return task;
}

Result<void> read_array(Fields& fields, SubmitBody& body, const SubmitLimits& limits) {
  const JsonValue* array = fields.value("array");
  if (array == nullptr) return {};
  Fields inner(*array, "array.");
  std::string indices;
  if (!inner.text("indices", indices)) inner.fault("indices", "is missing");
  int limit = 0;
  inner.number("limit", limit, 0, spec_fields::kTasksAtOnceMost);
  if (Result<void> read = inner.finish(); !read) return read;
  Result<std::vector<std::uint32_t>> list = parse_indices(indices, limits.tasks_most);
  if (!list) return failure(list.error());
  if (limit > 0) body.spec.extras.edit().array_limit = limit;
  body.array = true;
  body.tasks.reserve(list->size());
  for (const std::uint32_t index : *list) body.tasks.push_back({index, {}});
  return {};
}

Result<void> read_tasks(Fields& fields, SubmitBody& body, const SubmitLimits& limits) {
  const JsonArray* list = fields.list("tasks");
  if (list == nullptr) return {};
  if (body.array) return invalid("give either array or tasks, not both");
  if (list->empty()) return invalid("tasks must not be empty");
  if (list->size() > limits.tasks_most) return too_many(limits.tasks_most);
  body.array = true;
  body.tasks.reserve(list->size());
  for (const JsonValue& element : *list) {
    Result<SubmitAsked::Task> task = read_task(element, body.tasks.size());
    if (!task) return failure(task.error());
    body.tasks.push_back(std::move(*task));
  }
  return {};
}

// Everything but the check of the whole, which needs all tasks.
Result<SubmitBody> read_body(std::string_view json, const SubmitLimits& limits,
                             FieldName name = as_in_json) {
  Result<JsonValue> value = parse_json(json);
  if (!value) return failure(value.error());
  Fields fields(*value, {}, name);
  SubmitBody body;
  body.spec.time.grace = limits.grace;
  body.spec.retry.back_off = limits.retry_back_off;
  read_spec_fields(fields, body.spec, SpecSource::kRequest);
  if (!limits.key.empty() && body.spec.extras->key.empty()) {
    body.spec.extras.edit().key = limits.key;
  }
  fields.number("priority", body.priority, 0, 100);
  fields.flag("hold", body.hold);
  std::vector<std::string> environment;
  fields.texts("environment", environment);
  Result<void> tasks = read_array(fields, body, limits);
  if (tasks) tasks = read_tasks(fields, body, limits);
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  if (!tasks) return failure(tasks.error());
  if (!limits.key.empty() && body.spec.extras->key != limits.key) {
    return invalid("key and Idempotency-Key are two different keys; give one of them");
  }
  body.spec.environment = unnamed_environment(std::move(environment));
  return body;
}

std::string fingerprint_of(const SubmitBody& body) {
  JobSpec spec = body.spec;
  spec.environment = nullptr;
  spec.umask = 0;
  spec.limits = nullptr;
  SpecExtras& extras = spec.extras.edit();
  extras.terminal_rows = extras.terminal_columns = 0;
  extras.variables.clear();
  Sha256 digest;
  digest.add_counted(spec_to_json(spec));
  digest.add_counted(
      fmt::format("{} {} {} {}", body.priority, body.hold, body.array, body.tasks.size()));
  // Runs of plain indices count as one, or a large array would hold everybody up.
  for (std::size_t i = 0; i < body.tasks.size(); ++i) {
    const std::size_t first = i;
    while (i + 1 < body.tasks.size() && body.tasks[i].values.empty() &&
           body.tasks[i + 1].values.empty() && body.tasks[i + 1].index == body.tasks[i].index + 1) {
      ++i;
    }
    digest.add_counted(fmt::format("{}-{}", body.tasks[first].index, body.tasks[i].index));
    for (const auto& [name, value] : body.tasks[i].values) {
      digest.add_counted(name);
      digest.add_counted(value);
    }
  }
  return digest.hex();
}

Result<SubmitBody> checked(SubmitBody body, FieldName name = as_in_json) {
  if (body.tasks.empty()) body.tasks.emplace_back();
  if (std::optional<std::string> fault = fault_of(body, name)) return invalid(std::move(*fault));
  if (!body.spec.extras->key.empty()) body.fingerprint = fingerprint_of(body);
  return body;
}

}  // namespace

Result<SubmitBody> parse_submit(std::string_view json, const SubmitLimits& limits, FieldName name) {
  Result<SubmitBody> body = read_body(json, limits, name);
  if (!body) return body;
  return checked(std::move(*body), name);
}

Result<SubmitBody> parse_submit_lines(std::string_view lines, const SubmitLimits& limits) {
  SubmitLines reader(limits);
  if (Result<void> fed = reader.feed(lines); !fed) return failure(fed.error());
  return reader.finish();
}

Result<void> SubmitLines::feed(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    if (end == std::string_view::npos) {
      rest_ += piece;
      return {};
    }
    Result<void> taken;
    if (rest_.empty()) {
      taken = take_line(piece.substr(0, end));
    } else {
      rest_ += piece.substr(0, end);
      taken = take_line(std::exchange(rest_, {}));
    }
    if (!taken) return taken;
    piece.remove_prefix(end + 1);
  }
  return {};
}

Result<void> SubmitLines::take_line(std::string_view line) {
  ++line_number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return {};
  const auto at_line = [this](Error error) {
    error.message = fmt::format("line {}: {}", line_number_, error.message);
    return failure(std::move(error));
  };
  if (!body_) {
    Result<SubmitBody> head = read_body(line, limits_);
    if (!head) return at_line(head.error());
    if (head->array) return invalid("line 1: tasks follow as lines; array and tasks have no place");
    head->array = true;
    body_ = std::move(*head);
    return {};
  }
  if (body_->tasks.size() >= limits_.tasks_most) return too_many(limits_.tasks_most);
  Result<JsonValue> value = parse_json(line);
  if (!value) return at_line(value.error());
  Result<SubmitAsked::Task> task = read_task(*value, body_->tasks.size());
  if (!task) return at_line(task.error());
  body_->tasks.push_back(std::move(*task));
  return {};
}

Result<SubmitBody> SubmitLines::finish() {
  if (!rest_.empty()) {
    if (Result<void> taken = take_line(std::exchange(rest_, {})); !taken) {
      return failure(taken.error());
    }
  }
  if (!body_) return invalid("the body is empty; its first line is the job");
  if (body_->tasks.empty()) return invalid("no task follows the first line");
  return checked(std::move(*body_));
}

}  // namespace gpusched
