#include "cli/views/views.h"

#include "cli/views/view_lists.h"
#include "cli/views/view_reader.h"

namespace gpusched::cli {
namespace {

NeedsView needs_from(const Reader& json) {
  NeedsView needs;
  const Reader gpus = json.inner("gpus");
  gpus.number("least", needs.gpus_least);
  gpus.number("most", needs.gpus_most);
  std::string most;
  gpus.text("most", most);
  needs.all_gpus = most == "all";
  json.number("vram_bytes", needs.vram_bytes);
  json.number("share_percent", needs.share_percent);
  json.fact("exclusive", needs.exclusive);
  json.number("cpus", needs.cpus);
  json.number("ram_bytes", needs.ram_bytes);
  json.text("cpu_use", needs.cpu_use);
  json.words("only_cards", needs.only_cards);
  json.words("avoid_cards", needs.avoid_cards);
  json.text("card_type", needs.card_type);
  return needs;
}

void read_row(const Reader& json, JobView& job) {
  json.number("id", job.id);
  json.text("state", job.state);
  json.number("priority", job.priority);
  json.number("attempt", job.attempt);
  json.number("exit_code", job.exit_code);
  json.number("signal", job.signal);
  json.text("cause", job.cause);
  json.each("gpus", [&](const JsonValue& entry) {
    CardRef card;
    Reader(&entry).number("number", card.number);
    Reader(&entry).text("uuid", card.uuid);
    job.gpus.push_back(std::move(card));
  });
  json.text("reason", job.reason);
  json.time("estimated_start", job.estimated_start);
  json.inner("progress").number("step", job.progress_step);
  json.inner("progress").number("total", job.progress_total);
  json.time("expected_end", job.expected_end);
  json.time("submitted_at", job.submitted_at);
  json.time("started_at", job.started_at);
  json.time("ended_at", job.ended_at);
  json.text("name", job.name);
  json.text("command", job.command);
  json.text("user", job.user);
  json.text("group", job.group);
  json.text("project", job.project);
  json.texts("tags", job.tags);
  json.number("array", job.array);
  json.number("array_index", job.array_index);
  if (const JsonValue* values = json.find("values"); values != nullptr) {
    if (const auto* object = values->as<JsonObject>()) {
      for (const auto& [name, value] : *object) {
        if (const auto* text = value.as<std::string>()) job.values.emplace_back(name, *text);
      }
    }
  }
  json.text("message", job.message);
  json.text("hold_reason", job.hold_reason);
  json.time("retry_at", job.retry_at);
  job.needs = needs_from(json.inner("needs"));
  json.inner("gpu_use").number("vram_bytes", job.used_vram_bytes);
  json.inner("gpu_use").number("busy_percent", job.busy_percent);
}

void read_details(const Reader& json, JobDetails& job) {
  json.number("time_limit_s", job.time_limit_s);
  json.inner("warn_signal").number("number", job.warn_signal);
  json.inner("warn_signal").number("before_s", job.warn_before_s);
  json.number("grace_s", job.grace_s);
  json.each("after", [&](const JsonValue& entry) {
    std::pair<std::uint64_t, std::string> dependency{0, "ok"};
    Reader(&entry).number("job", dependency.first);
    Reader(&entry).text("kind", dependency.second);
    job.after.push_back(std::move(dependency));
  });
  json.number("retries", job.retries);
  json.number("failures", job.failures);
  json.texts("retry_causes", job.retry_causes);
  json.time("begin", job.begin);
  json.time("expire", job.expire);
  json.time("deadline", job.deadline);
  json.text("deadline_warning", job.deadline_warning);
  json.text("near_cpus", job.near_cpus);
  json.number("moves", job.moves);
  json.number("away_s", job.away_s);
  json.text("move_problem", job.move_problem);
  if (const Reader away = json.inner("aside"); away.present()) {
    JobAsideView& aside = job.aside.emplace();
    away.text("mechanism", aside.mechanism);
    away.fact("by_hand", aside.by_hand);
    away.time("since", aside.since);
    away.number("for", aside.for_job);
    away.number("host_bytes", aside.host_bytes);
    away.time("ends_at", aside.ends_at);
  }
  json.fact("restartable", job.restartable);
  json.text("preempt", job.preempt);
  json.number("vram_limit_bytes", job.vram_limit_bytes);
  json.inner("checkpoint").number("signal", job.save_signal);
  json.inner("checkpoint").number("grace_s", job.save_grace_s);
  json.number("saved_attempt", job.saved_attempt);
  json.text("working_directory", job.working_directory);
  json.text("output_path", job.output_path);
  json.text("error_path", job.error_path);
  json.text("advice", job.advice);
  const Reader usage = json.inner("usage");
  usage.number("user_cpu_s", job.user_cpu_s);
  usage.number("system_cpu_s", job.system_cpu_s);
  usage.number("max_rss_bytes", job.max_rss_bytes);
  const JsonValue* gpu_field = usage.find("gpu");
  if (gpu_field != nullptr && gpu_field->as<JsonObject>() != nullptr) {
    const Reader gpu(gpu_field);
    GpuUsageView& seen = job.gpu_usage.emplace();
    gpu.number("gpu_seconds", seen.gpu_seconds);
    gpu.number("peak_vram_bytes", seen.peak_vram_bytes);
    gpu.number("mean_vram_bytes", seen.mean_vram_bytes);
    gpu.number("mean_busy_percent", seen.mean_busy_percent);
    gpu.number("mean_sm_active_percent", seen.mean_sm_active_percent);
    gpu.number("energy_joules", seen.energy_joules);
  }
  json.text("device_filter", job.device_filter);
  json.inner("adopted").number("pid", job.adopted_pid);
  json.inner("adopted").fact("by_rule", job.adopted_by_rule);
  json.fact("mps", job.mps);
  json.text("without_mps", job.without_mps);
  json.text("vram_limit_by", job.vram_limit_by);
  json.text("attach", job.attach);
  json.text("directory", job.directory);
  json.text("control_socket", job.control_socket);
  json.text("log_path", job.log_path);
  json.texts("environment", job.environment);
}

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
    read_row(Reader(&entry), job);
    read_details(Reader(&entry), job);
  });
  return jobs;
}

Result<ExplainView> parse_explain(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  const Reader json(&*value);
  ExplainView view;
  json.number("id", view.id);
  json.text("state", view.state);
  json.number("position", view.position);
  json.time("estimated_start", view.estimated_start);
  json.time("latest_start", view.latest_start);
  json.fact("start_guessed", view.start_guessed);
  json.fact("mps", view.mps);
  json.time("deadline", view.deadline);
  json.text("deadline_warning", view.deadline_warning);
  json.each("reasons", [&](const JsonValue& entry) {
    ReasonView& reason = view.reasons.emplace_back();
    Reader(&entry).text("code", reason.code);
    Reader(&entry).text("message", reason.message);
    Reader(&entry).text("helps", reason.helps);
    Reader(&entry).numbers("jobs", reason.jobs);
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
  return view;
}

}  // namespace gpusched::cli
