#include "wire/job.h"

#include <algorithm>

#include "core/model/placeholders.h"
#include "wire/adopt.h"
#include "wire/lease.h"
#include "wire/spec_fields.h"
#include "wire/spec_values.h"
#include "wire/usage.h"

namespace gpusched {
namespace {

const Ended* ended_of(const Job& job) { return std::get_if<Ended>(&job.state); }

std::optional<Wall> started_at(const Job& job) {
  if (const auto* running = std::get_if<Running>(&job.state)) return running->started_at;
  if (const Ended* ended = ended_of(job)) return ended->started_at;
  return std::nullopt;
}

void write_gpus(JsonWriter& json, const Job& job, const std::vector<Card>& cards) {
  json.key("gpus").begin_array();
  if (const Grant* grant = grant_of(job)) {
    for (const CardGrant& held : grant->cards) {
      const auto card = std::ranges::find(cards, held.card, &Card::number);
      json.begin_object().field("number", number_of(held.card));
      json.key("uuid").text_or_null(card == cards.end() ? std::string_view{} : card->uuid);
      json.field("vram_bytes", held.vram_bytes).field("share_percent", held.share_percent);
      json.field("whole", held.whole);
      json.end_object();
    }
  }
  json.end_array();
}

void write_end(JsonWriter& json, const Job& job) {
  const Ended* ended = ended_of(job);
  if (ended == nullptr) {
    json.key("exit_code").null().key("signal").null().key("cause").null();
    return;
  }
  json.field("exit_code", ended->exit_code).field("signal", ended->signal).key("cause");
  if (ended->cause) {
    json.value(cause_name(*ended->cause));
  } else {
    json.null();
  }
}

void write_array(JsonWriter& json, const Job& job, Values shown) {
  if (job.task == nullptr) {
    json.key("array").null().key("array_index").null().key("values").begin_object().end_object();
    return;
  }
  json.field("array", job.task->array).field("array_index", job.task->index);
  json.key("values").begin_object();
  if (shown == Values::kShown) {
    for (const auto& [name, value] : job.task->values) json.foreign_key(name).value(value);
  }
  json.end_object();
}

void write_standing(JsonWriter& json, const Job& job, bool arguments) {
  const Ended* ended = ended_of(job);
  // It may name files.
  const bool told = ended != nullptr && arguments;
  json.key("message").text_or_null(told ? std::string_view(ended->message) : std::string_view{});
  json.key("hold_reason");
  if (const auto* held = std::get_if<Held>(&job.state)) {
    json.value(held->why == HoldReason::kUser ? "user" : "crash_guard");
  } else {
    json.null();
  }
  const auto* queued = std::get_if<Queued>(&job.state);
  json.field("retry_at", queued == nullptr ? std::nullopt : queued->retry_at);
}

void write_aside(JsonWriter& json, const Job& job, Microseconds away) {
  const Presence* presence = presence_of(job);
  const bool failed = presence != nullptr && presence->failed;
  const std::string problem = failed ? presence->failed->error : std::string();
  json.field("moves", job.moves).field("away_s", static_cast<double>(away.count()) / 1e6);
  json.key("move_problem").text_or_null(problem);
  json.key("aside");
  const Aside* aside = aside_of(job);
  if (aside == nullptr) {
    json.null();
    return;
  }
  json.begin_object().field("mechanism", mechanism_name(aside->mechanism));
  json.field("by_hand", aside->by_hand).field("idle", aside->why == AsideWhy::kIdle);
  json.field("wanted", aside->wanted).field("since", aside->since);
  json.key("for");
  if (aside->for_job == JobId{}) {
    json.null();
  } else {
    json.value(aside->for_job);
  }
  json.field("host_bytes", aside->host_bytes).key("problem").text_or_null(problem);
  json.field("ends_at", aside->over_limit_until);
  json.end_object();
}

void write_progress(JsonWriter& json, const RowFacts& facts) {
  json.key("progress");
  if (facts.progress) {
    json.begin_object().field("step", facts.progress->step);
    json.field("total", facts.progress->total).end_object();
  } else {
    json.null();
  }
  json.field("expected_end", facts.expected_end);
}

// Beside its progress: while it runs what it says, then what it said last. It may be about
// anything.
void write_said(JsonWriter& json, const Job& job, const RowFacts& facts) {
  std::string_view said;
  if (facts.progress) said = facts.progress->said;
  if (const Ended* ended = ended_of(job)) said = usage_of(*ended).said;
  json.key("said").text_or_null(facts.arguments ? said : std::string_view{});
}

std::optional<double> seconds_of(const std::optional<Microseconds>& time) {
  if (!time) return std::nullopt;
  return static_cast<double>(time->count()) / 1e6;
}

void write_knowledge(JsonWriter& json, const Knowledge& known, bool arguments) {
  json.key("estimate").begin_object();
  json.field("signature", arguments ? std::optional(known.signature) : std::nullopt);
  json.field("held_vram_bytes", known.held_bytes).field("used_vram_bytes", known.used_bytes);
  json.field("runs", known.estimate ? known.estimate->runs : 0);
  json.key("level").text_or_null(known.estimate ? level_name(known.estimate->level) : "");
  json.field("out_of_memory", known.out_of_memory);
  json.field("vram_bytes",
             known.estimate ? std::optional(known.estimate->vram_bytes) : std::nullopt);
  json.field("share_percent", known.estimate && known.estimate->share_percent > 0
                                  ? std::optional(known.estimate->share_percent)
                                  : std::nullopt);
  json.field("run_s", seconds_of(known.expected_run));
  json.field("suggested_vram_bytes",
             known.suggested_bytes > 0 ? std::optional(known.suggested_bytes) : std::nullopt);
  json.end_object().key("advice").text_or_null(known.advice);
}

void write_row_fields(JsonWriter& json, const Job& job, const RowFacts& facts,
                      const std::vector<Card>& cards) {
  const JobSpec& spec = *job.spec;
  const Ended* ended = ended_of(job);
  json.field("id", job.id).field("state", state_name(job.state));
  json.field("priority", job.priority).field("attempt", job.attempt);
  write_end(json, job);
  write_gpus(json, job, cards);
  json.key("reason").text_or_null(facts.reason);
  json.field("estimated_start", facts.estimated_start);
  json.key("start_unknown").text_or_null(facts.start_unknown);
  json.field("submitted_at", job.submitted_at).field("started_at", started_at(job));
  json.field("ended_at", ended == nullptr ? std::nullopt : std::optional(ended->ended_at));
  const Values values = facts.arguments ? Values::kShown : Values::kHidden;
  json.key("name").text_or_null(name_of(job, values));
  json.field("command", facts.arguments ? command_line_of(job) : program_of(job));
  json.field("user", job.owner.user).field("tenant", job.tenant);
  json.key("group").text_or_null(spec.group).key("project").text_or_null(spec.project);
  write_strings(json, "tags", tags_of(job, values));
  write_array(json, job, values);
  write_standing(json, job, facts.arguments);
  write_progress(json, facts);
  write_said(json, job, facts);
  json.key("needs").begin_object();
  write_needs_fields(json, spec);
  json.end_object().field("time_limit_s", spec.time.limit);
  if (spec.lease) write_lease_terms(json, *spec.lease);
  if (spec.adopted) write_adopted(json, *spec.adopted);
  if (ended == nullptr || !usage_of(*ended).gpu) return;
  const std::uint64_t peak = usage_of(*ended).gpu->peak_card_vram_bytes;
  if (peak > 0) json.field("peak_card_vram_bytes", peak);
}

void write_usage(JsonWriter& json, const Job& job) {
  const Ended* ended = ended_of(job);
  json.key("usage");
  if (ended == nullptr || !ended->started_at) {
    json.null();
    return;
  }
  const auto seconds = [](Microseconds time) { return static_cast<double>(time.count()) / 1e6; };
  json.begin_object().field("user_cpu_s", seconds(usage_of(*ended).user_cpu));
  json.field("system_cpu_s", seconds(usage_of(*ended).system_cpu));
  json.field("max_rss_bytes", usage_of(*ended).max_rss_bytes).key("gpu");
  if (usage_of(*ended).gpu) {
    write_gpu_usage(json, *usage_of(*ended).gpu);
  } else {
    json.null();
  }
  json.end_object();
}

void write_owner_fields(JsonWriter& json, const OwnerFacts& owner) {
  write_strings(json, "environment", owner.environment);
  json.key("directory").text_or_null(owner.directory);
  json.key("control_socket").text_or_null(owner.control_socket);
  json.key("log_path").text_or_null(owner.log_path);
  json.key("device_filter").text_or_null(owner.device_filter);
  json.key("without_mps").text_or_null(owner.without_mps);
  json.key("vram_limit_by").text_or_null(owner.vram_limit_by);
}

}  // namespace

void write_job_row(JsonWriter& json, const Job& job, const RowFacts& facts,
                   const std::vector<Card>& cards) {
  json.begin_object();
  write_row_fields(json, job, facts, cards);
  json.end_object();
}

void write_job_details(JsonWriter& json, const Job& job, const RowFacts& facts,
                       const std::vector<Card>& cards, const OwnerFacts* owner) {
  const JobSpec& spec = *job.spec;
  json.begin_object();
  write_row_fields(json, job, facts, cards);
  const bool filled = job.task && facts.arguments;
  write_shown_fields(json, filled ? filled_in_spec(job) : spec, facts.arguments);
  json.field("failures", job.failures);
  json.key("deadline_warning").text_or_null(facts.deadline_warning);
  json.key("near_cpus").text_or_null(facts.near_cpus);
  write_aside(json, job, facts.away);
  json.field("mps", grant_of(job) != nullptr && grant_of(job)->mps);
  json.field("saved_attempt",
             job.saved_attempt > 0 ? std::optional(job.saved_attempt) : std::nullopt);
  if (facts.arguments) write_strings(json, "argv", command_of(job));
  write_usage(json, job);
  if (facts.known != nullptr) write_knowledge(json, *facts.known, facts.arguments);
  json.field("array_limit", spec.extras->array_limit);
  json.field("private_shown", owner != nullptr);
  if (owner != nullptr) write_owner_fields(json, *owner);
  json.end_object();
}

}  // namespace gpusched
