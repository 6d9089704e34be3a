#include "cli/views/views.h"

#include "cli/views/job_fields.h"
#include "cli/views/view_lists.h"
#include "cli/views/view_reader.h"
#include "wire/spec_fields.h"

namespace gpusched::cli {
namespace {

// Reads each field into the member that it belongs to.
struct FieldReader {
  const Reader& json;

  void operator()(std::string_view name, std::string& out) const { json.text(name, out); }
  void operator()(std::string_view name, bool& out) const { json.fact(name, out); }
  void operator()(std::string_view name, std::optional<Wall>& out) const { json.time(name, out); }
  void operator()(std::string_view name, std::vector<std::string>& out) const {
    json.texts(name, out);
  }
  void operator()(std::string_view name,
                  std::vector<std::pair<std::string, std::string>>& out) const {
    const JsonValue* values = json.find(name);
    const auto* object = values == nullptr ? nullptr : values->as<JsonObject>();
    if (object == nullptr) return;
    for (const auto& [key, value] : *object) {
      if (const auto* text = value.as<std::string>()) out.emplace_back(key, *text);
    }
  }
  void operator()(std::string_view name, Needs& out) const {
    if (const JsonValue* needs = json.find(name)) out = read_shown_needs(*needs);
  }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void operator()(std::string_view name, Number& out) const { json.number(name, out); }
  template <class T>
  void operator()(std::string_view name, std::optional<T>& out) const {
    if constexpr (std::is_arithmetic_v<T>) {
      json.number(name, out);
    } else if (const Reader inner = json.inner(name); inner.present()) {
      for_each_field(out.emplace(), FieldReader{inner});
    }
  }
  template <class T>
  void operator()(std::string_view name, std::vector<T>& out) const {
    json.each(name, [&](const JsonValue& entry) {
      const Reader inner(&entry);
      for_each_field(out.emplace_back(), FieldReader{inner});
    });
  }
};

void read_row(const Reader& json, JobView& job) { for_each_field(job, FieldReader{json}); }

}  // namespace

std::vector<JobView> rows_from(const Reader& json, std::string_view name) {
  std::vector<JobView> jobs;
  json.each(name, [&](const JsonValue& entry) { read_row(Reader(&entry), jobs.emplace_back()); });
  return jobs;
}

Result<JobView> parse_job(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  JobView job;
  read_row(Reader(&*value), job);
  return job;
}

Result<std::vector<JobView>> parse_jobs(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  return rows_from(Reader(&*value), "jobs");
}

Result<std::vector<JobDetails>> parse_job_details(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  std::vector<JobDetails> jobs;
  Reader(&*value).each("jobs", [&](const JsonValue& entry) {
    JobDetails& job = jobs.emplace_back();
    const Reader json(&entry);
    read_row(json, job);
    for_each_detail(job, FieldReader{json});
    job.asked = read_shown_fields(entry);
  });
  return jobs;
}

namespace {

ExplainView explain_from(const Reader& json) {
  ExplainView view;
  json.number("id", view.id);
  json.text("state", view.state);
  json.number("position", view.position);
  json.time("estimated_start", view.estimated_start);
  json.time("latest_start", view.latest_start);
  json.text("start_unknown", view.start_unknown);
  json.fact("mps", view.mps);
  json.time("deadline", view.deadline);
  json.text("deadline_warning", view.deadline_warning);
  json.each("reasons", [&](const JsonValue& entry) {
    ReasonView& reason = view.reasons.emplace_back();
    Reader(&entry).text("code", reason.code);
    Reader(&entry).text("message", reason.message);
    Reader(&entry).text("helps", reason.helps);
    Reader(&entry).text("no_room", reason.no_room);
    Reader(&entry).numbers("jobs", reason.jobs);
  });
  return view;
}

}  // namespace

Result<ExplainView> parse_explain(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  return explain_from(Reader(&*value));
}

Result<ExplainedTogetherView> parse_explained_together(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  const Reader json(&*value);
  ExplainedTogetherView view;
  std::optional<std::uint64_t> count;
  json.number("count", count);
  if (!count) return view;
  view.together = true;
  view.count = *count;
  json.number("groups_left_out", view.groups_left_out);
  json.each("groups", [&](const JsonValue& entry) {
    AlikeView& alike = view.groups.emplace_back();
    const Reader from(&entry);
    from.number("count", alike.count);
    from.numbers("jobs", alike.jobs);
    alike.first = explain_from(from.inner("first"));
  });
  return view;
}

Result<std::vector<TrailView>> parse_trail(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  std::vector<TrailView> trail;
  Reader(&*value).each("events", [&](const JsonValue& entry) {
    const Reader from(&entry);
    TrailView& line = trail.emplace_back();
    from.number("sequence", line.sequence);
    from.number("job", line.job);
    from.time("at", line.at);
    from.number("attempt", line.attempt);
    from.text("kind", line.kind);
    from.text("text", line.text);
  });
  return trail;
}

namespace {

PreviewView preview_of(const Reader& json) {
  PreviewView view;
  json.texts("commands", view.commands);
  json.each("jobs", [&](const JsonValue& entry) {
    PreviewJobView& job = view.jobs.emplace_back();
    Reader(&entry).text("name", job.name);
    Reader(&entry).text("working_directory", job.directory);
    Reader(&entry).text("output_path", job.output);
    Reader(&entry).text("error_path", job.error);
  });
  json.fact("starts_now", view.starts_now);
  json.each("gpus", [&](const JsonValue& entry) {
    int number = 0;
    Reader(&entry).number("number", number);
    view.cards.push_back(number);
  });
  json.each("reasons", [&](const JsonValue& entry) {
    Reader(&entry).text("message", view.reasons.emplace_back());
  });
  json.time("estimated_start", view.estimated_start);
  json.text("start_unknown", view.start_unknown);
  return view;
}

}  // namespace

Result<SubmittedView> parse_submitted(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  const Reader json(&*value);
  SubmittedView view;
  json.number("first", view.first);
  view.last = view.first;
  json.number("last", view.last);
  json.number("count", view.count);
  json.fact("repeated", view.repeated);
  json.text("warning", view.warning);
  if (const Reader preview = json.inner("preview"); preview.present()) {
    view.preview = preview_of(preview);
  }
  return view;
}

Result<ChangedView> parse_changed(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  const Reader json(&*value);
  ChangedView view;
  json.numbers("changed", view.changed);
  json.each("unchanged", [&](const JsonValue& entry) {
    auto& [id, reason] = view.unchanged.emplace_back();
    Reader(&entry).number("id", id);
    Reader(&entry).text("why", reason);
  });
  return view;
}

Result<WaitedView> parse_waited(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  const Reader json(&*value);
  WaitedView view;
  json.fact("done", view.done);
  view.jobs = rows_from(json, "jobs");
  view.sweeps = sweeps_from(json);
  return view;
}

}  // namespace gpusched::cli
