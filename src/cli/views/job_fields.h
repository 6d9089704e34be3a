// The fields of a job in answers, once: what the client reads is this list, and a test compares it
// with what the daemon writes. What was asked for has a list of its own (core/model/spec_fields.h).
#pragma once

#include "cli/views/job_view.h"

namespace gpusched::cli {

template <class Visit>
void for_each_field(CardRef& card, Visit&& visit) {
  visit("number", card.number);
  visit("uuid", card.uuid);
  visit("vram_bytes", card.vram_bytes);
  visit("share_percent", card.share_percent);
  visit("whole", card.whole);
}

template <class Visit>
void for_each_field(ProgressView& progress, Visit&& visit) {
  visit("step", progress.step);
  visit("total", progress.total);
}

template <class Visit>
void for_each_field(JobView& job, Visit&& visit) {
  visit("id", job.id);
  visit("state", job.state);
  visit("priority", job.priority);
  visit("attempt", job.attempt);
  visit("exit_code", job.exit_code);
  visit("signal", job.signal);
  visit("cause", job.cause);
  visit("gpus", job.gpus);
  visit("reason", job.reason);
  visit("estimated_start", job.estimated_start);
  visit("start_unknown", job.start_unknown);
  visit("progress", job.progress);
  visit("said", job.said);
  visit("expected_end", job.expected_end);
  visit("submitted_at", job.submitted_at);
  visit("started_at", job.started_at);
  visit("ended_at", job.ended_at);
  visit("name", job.name);
  visit("command", job.command);
  visit("user", job.user);
  visit("group", job.group);
  visit("project", job.project);
  visit("tags", job.tags);
  visit("array", job.array);
  visit("array_index", job.array_index);
  visit("values", job.values);
  visit("message", job.message);
  visit("hold_reason", job.hold_reason);
  visit("retry_at", job.retry_at);
  visit("needs", job.needs);
}

template <class Visit>
void for_each_field(JobAsideView& aside, Visit&& visit) {
  visit("mechanism", aside.mechanism);
  visit("by_hand", aside.by_hand);
  visit("idle", aside.idle);
  visit("wanted", aside.wanted);
  visit("since", aside.since);
  visit("for", aside.for_job);
  visit("host_bytes", aside.host_bytes);
  visit("problem", aside.problem);
  visit("ends_at", aside.ends_at);
}

template <class Visit>
void for_each_field(GpuUsageView& usage, Visit&& visit) {
  visit("gpu_seconds", usage.gpu_seconds);
  visit("peak_vram_bytes", usage.peak_vram_bytes);
  visit("peak_card_vram_bytes", usage.peak_card_vram_bytes);
  visit("mean_vram_bytes", usage.mean_vram_bytes);
  visit("mean_busy_percent", usage.mean_busy_percent);
  visit("mean_sm_active_percent", usage.mean_sm_active_percent);
  visit("energy_joules", usage.energy_joules);
}

template <class Visit>
void for_each_field(UsageView& usage, Visit&& visit) {
  visit("user_cpu_s", usage.user_cpu_s);
  visit("system_cpu_s", usage.system_cpu_s);
  visit("max_rss_bytes", usage.max_rss_bytes);
  visit("gpu", usage.gpu);
}

template <class Visit>
void for_each_field(AdoptedView& adopted, Visit&& visit) {
  visit("pid", adopted.pid);
  visit("started_us", adopted.started_us);
  visit("by_rule", adopted.by_rule);
}

// What the details have beside the row and the spec.
template <class Visit>
void for_each_detail(JobDetails& job, Visit&& visit) {
  visit("failures", job.failures);
  visit("deadline_warning", job.deadline_warning);
  visit("near_cpus", job.near_cpus);
  visit("moves", job.moves);
  visit("away_s", job.away_s);
  visit("move_problem", job.move_problem);
  visit("aside", job.aside);
  visit("saved_attempt", job.saved_attempt);
  visit("advice", job.advice);
  visit("usage", job.usage);
  visit("adopted", job.adopted);
  visit("mps", job.mps);
  visit("device_filter", job.device_filter);
  visit("without_mps", job.without_mps);
  visit("vram_limit_by", job.vram_limit_by);
  visit("private_shown", job.private_shown);
  visit("directory", job.directory);
  visit("control_socket", job.control_socket);
  visit("log_path", job.log_path);
  visit("environment", job.environment);
}

}  // namespace gpusched::cli
