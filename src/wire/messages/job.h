// A job as answers have it: the row that everybody sees, and the details. Rows are written by hand
// (wire/job.cc), because a list may have 100,000 of them; tests compare what is written with these
// lists.
#pragma once

#include "base/time.h"
#include "core/model/job.h"
#include "wire/message.h"

namespace gpusched::wire {

inline constexpr std::string_view kJobStates =
    "held|queued|starting|running|pausing|paused|resuming|completed|failed|cancelled";

inline constexpr std::string_view kMechanisms = "freeze|cooperative|checkpoint|requeue";

// A card that a job or lease holds.
struct CardRef {
  int number = 0;
  std::string uuid;
  std::uint64_t vram_bytes = 0;  // What it holds there.
  int share_percent = 0;
  bool whole = false;

  static constexpr std::string_view kName = "HeldCard";
  static constexpr auto fields() {
    return std::make_tuple(
        field("number", &CardRef::number), field("uuid", &CardRef::uuid, kOrNull),
        field("vram_bytes", &CardRef::vram_bytes), field("share_percent", &CardRef::share_percent),
        field("whole", &CardRef::whole));
  }
};

struct Progress {
  std::uint64_t step = 0;
  std::uint64_t total = 0;

  static constexpr std::string_view kName = "Progress";
  static constexpr auto fields() {
    return std::make_tuple(field("step", &Progress::step), field("total", &Progress::total));
  }
};

// What a row says of a job that is a lease.
struct LeaseTerms {
  std::string holder;
  int pid = 0;
  std::uint64_t pid_started = 0;
  std::string application;
  std::string program;
  std::string placement;

  static constexpr std::string_view kName = "LeaseTerms";
  static constexpr auto fields() {
    return std::make_tuple(
        field("holder", &LeaseTerms::holder, {.words = "process|connection"}),
        field("pid", &LeaseTerms::pid), field("pid_started", &LeaseTerms::pid_started),
        field("application", &LeaseTerms::application),
        field("program", &LeaseTerms::program, kMaybe),
        field("placement", &LeaseTerms::placement, {.words = "default|round-robin"}));
  }
};

// A process that was there before its job.
struct AdoptedProcess {
  int pid = 0;
  std::uint64_t started_us = 0;
  bool by_rule = false;

  static constexpr std::string_view kName = "AdoptedProcess";
  static constexpr auto fields() {
    return std::make_tuple(field("pid", &AdoptedProcess::pid),
                           field("started_us", &AdoptedProcess::started_us),
                           field("by_rule", &AdoptedProcess::by_rule));
  }
};

struct JobRow {
  std::uint64_t id = 0;
  std::string state;
  int priority = 50;
  int attempt = 0;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string cause;
  std::vector<CardRef> gpus;
  std::string reason;
  std::optional<Wall> estimated_start;
  std::string start_unknown;
  std::optional<Wall> submitted_at;
  std::optional<Wall> started_at;
  std::optional<Wall> ended_at;
  std::string name;
  std::string command;
  std::string user;
  std::string tenant;
  std::string group;
  std::string project;
  std::vector<std::string> tags;
  std::optional<std::uint64_t> array;
  std::optional<std::uint64_t> array_index;
  std::vector<std::pair<std::string, std::string>> values;
  std::string message;
  std::string hold_reason;
  std::optional<Wall> retry_at;
  std::optional<Progress> progress;  // As the job says.
  std::optional<Wall> expected_end;
  std::string said;  // Beside its progress: "loss=0.13".
  Needs needs;
  Seconds time_limit{0};
  std::optional<LeaseTerms> lease;
  std::optional<AdoptedProcess> adopted;
  std::optional<std::uint64_t> peak_card_vram_bytes;

  bool ended() const { return state == "completed" || state == "failed" || state == "cancelled"; }
  bool waiting() const { return state == "queued" || state == "held"; }

  static constexpr std::string_view kName = "Job";
  static constexpr auto fields() {
    return std::make_tuple(
        field("id", &JobRow::id), field("state", &JobRow::state, {.words = kJobStates}),
        field("priority", &JobRow::priority), field("attempt", &JobRow::attempt),
        field("exit_code", &JobRow::exit_code), field("signal", &JobRow::signal),
        field("cause", &JobRow::cause, kOrNull), field("gpus", &JobRow::gpus),
        field("reason", &JobRow::reason, {.or_null = true, .what = "why it waits"}),
        field("estimated_start", &JobRow::estimated_start),
        field("start_unknown", &JobRow::start_unknown,
              {.or_null = true, .what = "why there is no estimated_start"}),
        field("submitted_at", &JobRow::submitted_at, kAlways),
        field("started_at", &JobRow::started_at), field("ended_at", &JobRow::ended_at),
        field("name", &JobRow::name, kOrNull), field("command", &JobRow::command),
        field("user", &JobRow::user), field("tenant", &JobRow::tenant),
        field("group", &JobRow::group, kOrNull), field("project", &JobRow::project, kOrNull),
        field("tags", &JobRow::tags),
        field("array", &JobRow::array, {.what = "the first job of its array or sweep"}),
        field("array_index", &JobRow::array_index), field("values", &JobRow::values),
        field("message", &JobRow::message, kOrNull),
        field("hold_reason", &JobRow::hold_reason, {.or_null = true, .words = "user|crash_guard"}),
        field("retry_at", &JobRow::retry_at), field("progress", &JobRow::progress),
        field("expected_end", &JobRow::expected_end), field("said", &JobRow::said, kOrNull),
        field("needs", &JobRow::needs), field("time_limit_s", &JobRow::time_limit),
        field("lease", &JobRow::lease, kMaybe), field("adopted", &JobRow::adopted, kMaybe),
        field("peak_card_vram_bytes", &JobRow::peak_card_vram_bytes,
              {.maybe = true, .what = "of one that has ended: on its fullest card"}));
  }
};

// What an attempt had and used of its cards; what is absent was never seen.
struct GpuUsage {
  double gpu_seconds = 0;
  std::uint64_t peak_vram_bytes = 0;
  std::uint64_t peak_card_vram_bytes = 0;
  std::uint64_t mean_vram_bytes = 0;
  std::optional<double> mean_busy_percent;
  std::optional<double> mean_sm_active_percent;
  std::optional<double> energy_joules;

  static constexpr std::string_view kName = "GpuUsage";
  static constexpr auto fields() {
    return std::make_tuple(
        field("gpu_seconds", &GpuUsage::gpu_seconds),
        field("peak_vram_bytes", &GpuUsage::peak_vram_bytes),
        field("peak_card_vram_bytes", &GpuUsage::peak_card_vram_bytes),
        field("mean_vram_bytes", &GpuUsage::mean_vram_bytes),
        field("mean_busy_percent", &GpuUsage::mean_busy_percent, kMaybe),
        field("mean_sm_active_percent", &GpuUsage::mean_sm_active_percent, kMaybe),
        field("energy_joules", &GpuUsage::energy_joules, kMaybe));
  }
};

struct Usage {
  double user_cpu_s = 0;
  double system_cpu_s = 0;
  std::uint64_t max_rss_bytes = 0;
  std::optional<GpuUsage> gpu;  // Absent: it had no card.

  static constexpr std::string_view kName = "Usage";
  static constexpr auto fields() {
    return std::make_tuple(
        field("user_cpu_s", &Usage::user_cpu_s), field("system_cpu_s", &Usage::system_cpu_s),
        field("max_rss_bytes", &Usage::max_rss_bytes), field("gpu", &Usage::gpu));
  }
};

// Where a job stands that is moved aside.
struct JobAside {
  std::string mechanism;
  bool by_hand = false;
  bool idle = false;
  bool wanted = false;
  std::optional<Wall> since;
  std::optional<std::uint64_t> for_job;
  std::uint64_t host_bytes = 0;
  std::string problem;
  std::optional<Wall> ends_at;  // Stopped at its VRAM limit.

  static constexpr std::string_view kName = "JobAside";
  static constexpr auto fields() {
    return std::make_tuple(
        field("mechanism", &JobAside::mechanism, {.words = kMechanisms}),
        field("by_hand", &JobAside::by_hand), field("idle", &JobAside::idle),
        field("wanted", &JobAside::wanted), field("since", &JobAside::since, kAlways),
        field("for", &JobAside::for_job), field("host_bytes", &JobAside::host_bytes),
        field("problem", &JobAside::problem, kOrNull), field("ends_at", &JobAside::ends_at));
  }
};

// What is known of a job's memory and time.
struct Estimate {
  std::optional<std::string> signature;
  std::uint64_t held_vram_bytes = 0;
  std::uint64_t used_vram_bytes = 0;
  std::uint64_t runs = 0;
  std::string level;
  std::uint64_t out_of_memory = 0;  // So many of the runs.
  std::optional<std::uint64_t> vram_bytes;
  std::optional<int> share_percent;
  std::optional<double> run_s;
  std::optional<std::uint64_t> suggested_vram_bytes;

  static constexpr std::string_view kName = "Estimate";
  static constexpr auto fields() {
    return std::make_tuple(
        field("signature", &Estimate::signature),
        field("held_vram_bytes", &Estimate::held_vram_bytes),
        field("used_vram_bytes", &Estimate::used_vram_bytes), field("runs", &Estimate::runs),
        field("level", &Estimate::level, {.or_null = true, .words = "signature|sweep|program"}),
        field("out_of_memory", &Estimate::out_of_memory),
        field("vram_bytes", &Estimate::vram_bytes),
        field("share_percent", &Estimate::share_percent), field("run_s", &Estimate::run_s),
        field("suggested_vram_bytes", &Estimate::suggested_vram_bytes));
  }
};

// Beside the row and what was asked for, which is read by the list of the spec.
struct JobDetails : JobRow {
  JobSpec asked;  // As far as the daemon tells.
  int failures = 0;
  std::string deadline_warning;
  std::string near_cpus;
  int moves = 0;
  double away_s = 0;              // In all.
  std::string move_problem;       // Why the last move failed.
  std::optional<JobAside> aside;  // Absent: it is on its cards.
  bool mps = false;
  std::optional<int> saved_attempt;
  std::optional<std::vector<std::string>> argv;
  std::optional<Usage> usage;  // Absent: it has not ended, or never started.
  Estimate estimate;
  std::string advice;  // About its memory; may be empty.
  int array_limit = 0;
  std::vector<std::string> environment;
  bool private_shown = true;  // What only some may see is there; older daemons do not say.
  std::string directory;
  std::string control_socket;
  std::string log_path;
  std::string device_filter;
  std::string without_mps;
  std::string vram_limit_by;

  static constexpr std::string_view kName = "JobDetails";
  // What only the owner and administrators see.
  static constexpr Terms kOwners = {.maybe = true, .or_null = true};
  static constexpr auto details() {
    return std::make_tuple(
        field("failures", &JobDetails::failures),
        field("deadline_warning", &JobDetails::deadline_warning, kOrNull),
        field("near_cpus", &JobDetails::near_cpus, kOrNull), field("moves", &JobDetails::moves),
        field("away_s", &JobDetails::away_s),
        field("move_problem", &JobDetails::move_problem, kOrNull),
        field("aside", &JobDetails::aside), field("mps", &JobDetails::mps),
        field("saved_attempt", &JobDetails::saved_attempt),
        field("argv", &JobDetails::argv, kMaybe), field("usage", &JobDetails::usage),
        field("estimate", &JobDetails::estimate), field("advice", &JobDetails::advice, kOrNull),
        field("array_limit", &JobDetails::array_limit),
        field("private_shown", &JobDetails::private_shown),
        field("environment", &JobDetails::environment, {.maybe = true}),
        field("directory", &JobDetails::directory, kOwners),
        field("control_socket", &JobDetails::control_socket, kOwners),
        field("log_path", &JobDetails::log_path, kOwners),
        field("device_filter", &JobDetails::device_filter, kOwners),
        field("without_mps", &JobDetails::without_mps, kOwners),
        field("vram_limit_by", &JobDetails::vram_limit_by, kOwners));
  }
  static constexpr auto fields() { return std::tuple_cat(JobRow::fields(), details()); }
};

}  // namespace gpusched::wire
