// A job as the API's answers have it. Which fields there are: job_fields.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/model/job.h"

namespace gpusched::cli {

struct CardRef {
  int number = 0;
  std::string uuid;
  std::uint64_t vram_bytes = 0;  // What it holds there.
  int share_percent = 0;
  bool whole = false;
};

struct ProgressView {
  std::uint64_t step = 0;
  std::uint64_t total = 0;
};

// A job's row.
struct JobView {
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
  std::string group;
  std::string project;
  std::vector<std::string> tags;
  std::optional<std::uint64_t> array;
  std::optional<std::uint64_t> array_index;
  std::vector<std::pair<std::string, std::string>> values;
  std::string message;
  std::string hold_reason;
  std::optional<Wall> retry_at;
  Needs needs;
  std::optional<ProgressView> progress;  // As the job says.
  std::string said;                      // Beside it: "loss=0.13".
  std::optional<Wall> expected_end;

  bool ended() const { return state == "completed" || state == "failed" || state == "cancelled"; }
  bool waiting() const { return state == "queued" || state == "held"; }
};

// What an attempt had and used of its cards; what is absent was never seen.
struct GpuUsageView {
  double gpu_seconds = 0;
  std::uint64_t peak_vram_bytes = 0;
  std::uint64_t peak_card_vram_bytes = 0;
  std::uint64_t mean_vram_bytes = 0;
  std::optional<double> mean_busy_percent;
  std::optional<double> mean_sm_active_percent;
  std::optional<double> energy_joules;
};

struct UsageView {
  double user_cpu_s = 0;
  double system_cpu_s = 0;
  std::uint64_t max_rss_bytes = 0;
  std::optional<GpuUsageView> gpu;  // Absent: it had no card.
};

// A process that was there before its job.
struct AdoptedView {
  int pid = 0;
  std::uint64_t started_us = 0;
  bool by_rule = false;
};

// Where a job stands that is moved aside.
struct JobAsideView {
  std::string mechanism;  // freeze, checkpoint.
  bool by_hand = false;
  bool idle = false;
  bool wanted = false;
  std::optional<Wall> since;
  std::optional<std::uint64_t> for_job;
  std::uint64_t host_bytes = 0;
  std::string problem;
  std::optional<Wall> ends_at;  // Stopped at its VRAM limit.
};

// What `show` adds to the row.
struct JobDetails : JobView {
  std::string
      sweep;      // How all of its sweep stands, in words; empty: it is alone. Not in the answer.
  JobSpec asked;  // As far as the daemon tells.
  int moves = 0;
  double away_s = 0;                  // In all.
  std::string move_problem;           // Why the last move failed.
  std::optional<JobAsideView> aside;  // Absent: it is on its cards.
  int failures = 0;
  std::string deadline_warning;
  std::string near_cpus;
  std::optional<int> saved_attempt;
  std::optional<UsageView> usage;  // Absent: it has not ended, or never started.
  std::string advice;              // About its memory; may be empty.
  std::string device_filter;
  std::optional<AdoptedView> adopted;
  bool mps = false;
  std::string without_mps;
  std::string vram_limit_by;
  bool private_shown = true;  // What follows is for this user to see; older daemons do not say.
  std::string directory;
  std::string control_socket;
  std::string log_path;
  std::vector<std::string> environment;
};

}  // namespace gpusched::cli
