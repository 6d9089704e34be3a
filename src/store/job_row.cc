#include "store/job_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/number.h"
#include "store/row_text.h"
#include "wire/usage.h"

namespace gpusched {

const char* const kInsertJob =
    "INSERT INTO jobs(id, spec, task_array, task_index, task_values, uid, gid, user_name, tenant,"
    " submitted_at, priority, attempt, failures, state, hold, stopping, retry_at, decided_at,"
    " started_at, ended_at, granted, cause, exit_code, signal, message, user_cpu_us,"
    " system_cpu_us, max_rss_bytes, gpu_usage, vram_floor, moves, aside, saved_attempt,"
    " quick_saves, queue_place, said)"
    " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
const char* const kUpdateJob =
    "UPDATE jobs SET priority = ?, attempt = ?, failures = ?, state = ?, hold = ?, stopping = ?,"
    " retry_at = ?, decided_at = ?, started_at = ?, ended_at = ?, granted = ?, cause = ?,"
    " exit_code = ?, signal = ?, message = ?, user_cpu_us = ?, system_cpu_us = ?,"
    " max_rss_bytes = ?, gpu_usage = ?, vram_floor = ?, moves = ?, aside = ?, saved_attempt = ?,"
    " quick_saves = ?, queue_place = ?, said = ? WHERE id = ? AND spec = ?";
const char* const kSelectJobs =
    "SELECT id, spec, task_array, task_index, task_values, uid, gid, user_name, tenant,"
    " submitted_at, priority, attempt, failures, state, hold, stopping, retry_at, decided_at,"
    " started_at, ended_at, granted, cause, exit_code, signal, message, user_cpu_us,"
    " system_cpu_us, max_rss_bytes, gpu_usage, vram_floor, moves, aside, saved_attempt,"
    " quick_saves, queue_place, said FROM jobs ORDER BY id";

namespace {

enum Column {
  kId,
  kSpec,
  kTaskArray,
  kTaskIndex,
  kTaskValues,
  kUid,
  kGid,
  kUserName,
  kTenant,
  kSubmittedAt,
  kPriority,
  kAttempt,
  kFailures,
  kState,
  kHold,
  kStopping,
  kRetryAt,
  kDecidedAt,
  kStartedAt,
  kEndedAt,
  kGranted,
  kCause,
  kExitCode,
  kSignal,
  kMessage,
  kUserCpu,
  kSystemCpu,
  kMaxRss,
  kGpuUsage,
  kVramFloor,
  kMoves,
  kAside,
  kSavedAttempt,
  kQuickSaves,
  kQueuePlace,
  kSaid,
};

std::int64_t number_of(Wall time) { return time.time_since_epoch().count(); }
std::optional<std::int64_t> number_of(std::optional<Wall> time) {
  if (!time) return std::nullopt;
  return number_of(*time);
}
Wall wall_of(std::int64_t number) { return Wall(Microseconds(number)); }
std::optional<Wall> wall_of(std::optional<std::int64_t> number) {
  if (!number) return std::nullopt;
  return wall_of(*number);
}
std::optional<int> small(std::optional<std::int64_t> number) {
  if (!number) return std::nullopt;
  return static_cast<int>(*number);
}

// "SUBMITTED_AT RANK" of the job whose place it took; null: its own.
std::optional<std::string> place_text(const Job& job) {
  if (job.place.unset()) return std::nullopt;
  return fmt::format("{} {}", number_of(job.place->at), gpusched::number_of(job.place->rank));
}

std::optional<QueuePlace> place_from_text(std::string_view text) {
  const std::string_view at = text.substr(0, text.find(' '));
  const std::string_view rank = at.size() < text.size() ? text.substr(at.size() + 1) : "";
  std::int64_t time = 0;
  std::uint64_t number = 0;
  if (!whole_number(at, time) || !whole_number(rank, number)) return std::nullopt;
  return QueuePlace{wall_of(time), JobId{number}};
}

struct StateColumns {
  std::optional<std::string_view> hold;
  std::optional<std::string> stopping;
  std::optional<std::int64_t> retry_at;
  std::optional<std::int64_t> decided_at;
  std::optional<std::int64_t> started_at;
  std::optional<std::int64_t> ended_at;
  std::optional<std::string> granted;
  std::optional<std::string_view> cause;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<std::string_view> message;
  std::optional<std::int64_t> user_cpu;
  std::optional<std::int64_t> system_cpu;
  std::optional<std::uint64_t> max_rss;
  std::optional<std::string> gpu_usage;
  std::optional<std::string> aside;
  std::optional<std::string_view> said;

  void operator()(const Held& held) { hold = hold_word(held.why); }
  void operator()(const Queued& queued) { retry_at = number_of(queued.retry_at); }
  void operator()(const Starting& starting) {
    granted = grant_to_text(starting.grant);
    decided_at = number_of(starting.decided_at);
    stopping = stop_word(starting.stopping);
  }
  void operator()(const Running& running) {
    granted = grant_to_text(running.grant);
    started_at = number_of(running.started_at);
    stopping = stop_word(running.stopping);
    // For whom it leaves.
    if (stopping && running.leaves_for != JobId{}) *stopping += " " + to_string(running.leaves_for);
    if (running.used) gpu_usage = gpu_usage_to_json(*running.used);
    if (running.presence) aside = presence_to_text(*running.presence);
  }
  void operator()(const Ended& ended) {
    if (ended.cause) cause = cause_name(*ended.cause);
    exit_code = ended.exit_code;
    signal = ended.signal;
    message = ended.message;
    started_at = number_of(ended.started_at);
    ended_at = number_of(ended.ended_at);
    granted = grant_to_text(ended.grant);
    const Usage& usage = usage_of(ended);
    user_cpu = usage.user_cpu.count();
    system_cpu = usage.system_cpu.count();
    max_rss = usage.max_rss_bytes;
    if (usage.gpu) gpu_usage = gpu_usage_to_json(*usage.gpu);
    if (!usage.said.empty()) said = usage.said;
  }
};

struct TaskColumns {
  std::optional<std::uint64_t> array;
  std::optional<std::uint32_t> index;
  std::optional<std::string> values;

  explicit TaskColumns(const ArrayTask* task) {
    if (task == nullptr) return;
    array = gpusched::number_of(task->array);
    index = task->index;
    values = task_values_to_text(task->values);
  }
};

// Nothing that this program writes is unreadable, so a row that is stands for damage.
Error unreadable(std::int64_t id, const char* column, std::string_view value) {
  return {ErrorCode::kIo, fmt::format("read job {} from the store: {} '{}' makes no sense: the "
                                      "database is damaged; restore a backup",
                                      id, column, value)};
}

Result<JobState> read_ended(const Statement& row, Outcome outcome, Grant grant) {
  Ended ended;
  ended.outcome = outcome;
  if (!row.is_null(kCause)) {
    ended.cause = cause_named(std::string(row.text(kCause)));
    if (!ended.cause) return failure(unreadable(row.integer(kId), "cause", row.text(kCause)));
  }
  ended.exit_code = small(row.maybe_integer(kExitCode));
  ended.signal = small(row.maybe_integer(kSignal));
  ended.message = row.text(kMessage);
  ended.started_at = wall_of(row.maybe_integer(kStartedAt));
  ended.ended_at = wall_of(row.integer(kEndedAt));
  ended.grant = std::move(grant);
  auto usage = std::make_shared<Usage>();
  usage->user_cpu = Microseconds(row.integer(kUserCpu));
  usage->system_cpu = Microseconds(row.integer(kSystemCpu));
  usage->max_rss_bytes = static_cast<std::uint64_t>(row.integer(kMaxRss));
  if (!row.text(kGpuUsage).empty()) {
    auto gpu = gpu_usage_from_json(row.text(kGpuUsage));
    if (!gpu) return failure(unreadable(row.integer(kId), "gpu_usage", row.text(kGpuUsage)));
    usage->gpu = *gpu;
  }
  usage->said = row.text(kSaid);
  ended.usage = std::move(usage);
  return ended;
}

Result<JobState> read_state(const Statement& row) {
  const std::int64_t id = row.integer(kId);
  const std::string_view word = row.text(kState);
  if (word == "queued")
    return Queued{.retry_at = wall_of(row.maybe_integer(kRetryAt)), .retry_boot = {}};
  if (word == "held") {
    const std::optional<HoldReason> why = hold_of_word(row.text(kHold));
    if (!why) return failure(unreadable(id, "hold", row.text(kHold)));
    return Held{*why};
  }
  std::optional<Grant> grant = grant_from_text(row.text(kGranted));
  if (!grant) return failure(unreadable(id, "grant", row.text(kGranted)));
  if (const std::optional<Outcome> outcome = outcome_of_word(word)) {
    return read_ended(row, *outcome, std::move(*grant));
  }
  const std::string_view stopping_text = row.text(kStopping);
  const std::size_t space = std::min(stopping_text.find(' '), stopping_text.size());
  const std::optional<StopReason> stopping = stop_of_word(stopping_text.substr(0, space));
  if (!stopping) return failure(unreadable(id, "stopping", row.text(kStopping)));
  if (word == "starting") {
    return Starting{std::move(*grant), wall_of(row.integer(kDecidedAt)), *stopping};
  }
  if (word == "running" || phase_of_word(word)) {
    Running running{std::move(*grant), wall_of(row.integer(kStartedAt)), *stopping};
    if (space < stopping_text.size()) {
      std::uint64_t leaves_for = 0;
      if (!whole_number(stopping_text.substr(space + 1), leaves_for)) {
        return failure(unreadable(id, "stopping", row.text(kStopping)));
      }
      running.leaves_for = JobId{leaves_for};
    }
    if (!row.text(kGpuUsage).empty()) {
      auto used = gpu_usage_from_json(row.text(kGpuUsage));
      if (!used) return failure(unreadable(id, "gpu_usage", row.text(kGpuUsage)));
      running.used = std::make_shared<const GpuUsage>(*used);
    }
    if (!row.is_null(kAside)) {
      auto presence = presence_from_text(row.text(kAside), phase_of_word(word));
      if (!presence) return failure(unreadable(id, "aside", row.text(kAside)));
      running.presence = std::make_shared<const Presence>(std::move(*presence));
    } else if (word != "running") {
      return failure(unreadable(id, "aside", ""));
    }
    return running;
  }
  return failure(unreadable(id, "state", word));
}

}  // namespace

Result<void> insert_job(Statement& insert, const Job& job, std::int64_t spec) {
  StateColumns state;
  std::visit(state, job.state);
  const TaskColumns task(job.task.get());
  return insert.run(gpusched::number_of(job.id), spec, task.array, task.index, task.values,
                    job.owner.uid, job.owner.gid, job.owner.user, job.tenant,
                    number_of(job.submitted_at), job.priority, job.attempt, job.failures,
                    state_name(job.state), state.hold, state.stopping, state.retry_at,
                    state.decided_at, state.started_at, state.ended_at, state.granted, state.cause,
                    state.exit_code, state.signal, state.message, state.user_cpu, state.system_cpu,
                    state.max_rss, state.gpu_usage, job.vram_floor_bytes, job.moves, state.aside,
                    job.saved_attempt, job.quick_saves, place_text(job), state.said);
}

Result<void> update_job(Statement& update, const Job& job, std::int64_t spec) {
  StateColumns state;
  std::visit(state, job.state);
  return update.run(job.priority, job.attempt, job.failures, state_name(job.state), state.hold,
                    state.stopping, state.retry_at, state.decided_at, state.started_at,
                    state.ended_at, state.granted, state.cause, state.exit_code, state.signal,
                    state.message, state.user_cpu, state.system_cpu, state.max_rss, state.gpu_usage,
                    job.vram_floor_bytes, job.moves, state.aside, job.saved_attempt,
                    job.quick_saves, place_text(job), state.said, gpusched::number_of(job.id),
                    spec);
}

Result<JobRow> read_job(const Statement& row) {
  JobRow read;
  read.spec = row.integer(kSpec);
  Job& job = read.job;
  job.id = JobId{static_cast<std::uint64_t>(row.integer(kId))};
  job.owner = {.uid = static_cast<std::uint32_t>(row.integer(kUid)),
               .gid = static_cast<std::uint32_t>(row.integer(kGid)),
               .user = std::string(row.text(kUserName))};
  job.tenant = row.text(kTenant);
  job.priority = static_cast<int>(row.integer(kPriority));
  job.submitted_at = wall_of(row.integer(kSubmittedAt));
  job.attempt = static_cast<int>(row.integer(kAttempt));
  job.failures = static_cast<int>(row.integer(kFailures));
  job.moves = static_cast<int>(row.integer(kMoves));
  job.vram_floor_bytes = static_cast<std::uint64_t>(row.integer(kVramFloor));
  job.saved_attempt = static_cast<int>(row.integer(kSavedAttempt));
  job.quick_saves = static_cast<int>(row.integer(kQuickSaves));
  if (!row.is_null(kQueuePlace)) {
    const auto place = place_from_text(row.text(kQueuePlace));
    if (!place) return failure(unreadable(row.integer(kId), "queue_place", row.text(kQueuePlace)));
    job.place = *place;
  }
  if (!row.is_null(kTaskArray)) {
    std::optional<TaskValues> values = task_values_from_text(row.text(kTaskValues));
    if (!values) {
      return failure(unreadable(row.integer(kId), "task_values", row.text(kTaskValues)));
    }
    job.task = std::make_shared<const ArrayTask>(
        ArrayTask{JobId{static_cast<std::uint64_t>(row.integer(kTaskArray))},
                  static_cast<std::uint32_t>(row.integer(kTaskIndex)), std::move(*values)});
  }
  Result<JobState> state = read_state(row);
  if (!state) return failure(state.error());
  job.state = std::move(*state);
  return read;
}

}  // namespace gpusched
