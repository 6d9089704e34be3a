// Answers of the API as plain structs for tables and messages: the only place that reads JSON.
// Unknown fields are ignored and missing ones are absent, so that neighbouring versions of client
// and daemon understand each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/views/job_view.h"

namespace gpusched::cli {

// A process that the driver lists on a card; it may end at any moment.
struct ProcessView {
  int pid = 0;
  std::string user;  // Its number where it has no name; empty: unknown.
  std::string command;
  std::string container;  // "docker 3f2a9c…"
  std::optional<std::uint64_t> vram_bytes;
  std::optional<double> busy_percent;
  std::optional<Wall> started_at;
  std::optional<Wall> idle_since;    // Holds memory and has not used the card since then.
  std::optional<std::uint64_t> job;  // Absent: a foreign process.
};

// A job or lease that was moved aside from a card, or is on its way out or back.
struct AsideView {
  std::uint64_t job = 0;
  std::string state;
  std::string mechanism;
  std::optional<Wall> since;
  std::uint64_t host_bytes = 0;  // In host RAM, of all its cards.
  bool idle = false;             // It did not use its cards.
  bool wanted = false;           // And wants them again.
  bool by_hand = false;
};

// One reading of a card: what the driver did not say is absent.
struct SampleView {
  std::optional<std::uint64_t> used_bytes;
  std::optional<double> busy_percent;
  std::optional<double> temperature_c;
  std::optional<double> power_watts;
};

struct CardView {
  int number = 0;
  std::string uuid;
  std::string model;
  std::uint64_t vram_bytes = 0;
  std::uint64_t held_vram_bytes = 0;
  int held_share_percent = 0;
  bool usable = true;
  std::string state;   // ok, unknown, asleep, gone, drained; empty: the daemon does not watch.
  std::string reason;  // Why it is not ok.
  std::optional<int> share_cap_percent;  // That moves by itself.
  std::string share_cap_reason;
  struct Moves {
    std::uint64_t bytes_per_s = 0;
    std::uint64_t measured = 0;  // In so many moves; 0: it is what is usual.
  };
  Moves out, back;  // Of its memory, to host RAM and back.
  std::string alias;
  bool managed = true;
  std::vector<std::uint64_t> jobs;
  std::optional<SampleView> sample;
  std::optional<std::uint64_t> foreign_bytes;
  std::vector<ProcessView> processes;
  std::vector<AsideView> aside;

  bool ok() const { return usable && (state.empty() || state == "ok"); }
  // The sample if it still counts; null where the card does not answer.
  const SampleView* seen() const {
    const bool answers = state.empty() || state == "ok" || state == "drained";
    return answers && sample ? &*sample : nullptr;
  }
};

struct BackendView {
  std::string name;
  std::string trouble;  // Empty: it works.
};

struct GpusView {
  int missing = 0;  // Cards that the machine should have.
  std::string source;
  std::vector<BackendView> backends;
  std::vector<CardView> cards;
  int cpus = 0;
  int cpus_held = 0;
  std::uint64_t ram_bytes = 0;
  std::uint64_t ram_held_bytes = 0;
};

struct CountsView {
  std::uint64_t held = 0, queued = 0, starting = 0, running = 0, paused = 0;
  std::uint64_t completed = 0, failed = 0, cancelled = 0;
};

// Jobs of one array or sweep as one line.
struct SweepView {
  std::uint64_t id = 0;               // Of its first job.
  std::uint64_t first = 0, last = 0;  // Of those that are meant.
  std::uint64_t count = 0, of = 0;    // How many are meant, of how many.
  CountsView counts;                  // Of those that are meant.
  std::vector<std::string> parameters;
  std::vector<int> cards;
  std::string reason;
  int priority = 50;
  std::optional<Wall> submitted_at;
  std::string name, command, user, group;
  std::vector<JobView> failures;  // The first ones.

  std::uint64_t waiting() const { return counts.held + counts.queued; }
  std::uint64_t active() const { return counts.starting + counts.running + counts.paused; }
  std::uint64_t open() const { return waiting() + active(); }
};

// A list in which sweeps are lines.
struct FoldedJobs {
  std::vector<JobView> jobs;
  std::vector<SweepView> sweeps;
  bool empty() const { return jobs.empty() && sweeps.empty(); }
};

struct OverviewView {
  std::vector<JobView> running;
  std::vector<JobView> waiting;
  std::vector<JobView> recent;
  std::vector<SweepView> sweeps;  // Their jobs are in none of the lists before.
  CountsView counts;
  std::vector<CardView> cards;
  std::vector<std::string> problems;  // What somebody has to see to.
};

struct ReasonView {
  std::string code;
  std::string message;
  std::string helps;
  std::string no_room;
  std::vector<std::uint64_t> jobs;
};
struct ExplainView {
  std::uint64_t id = 0;
  std::string state;
  std::optional<std::uint64_t> position;
  std::vector<ReasonView> reasons;
  std::optional<Wall> estimated_start;
  std::optional<Wall> latest_start;
  std::string start_unknown;
  bool mps = false;
  std::optional<Wall> deadline;
  std::string deadline_warning;
};

// Several jobs, by what they wait for.
struct AlikeView {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> jobs;  // The first of them.
  ExplainView first;
};
struct ExplainedTogetherView {
  bool together = false;  // False: the answer is of one job.
  std::uint64_t count = 0;
  std::uint64_t groups_left_out = 0;
  std::vector<AlikeView> groups;
};

struct TrailView {
  std::uint64_t sequence = 0;
  std::uint64_t job = 0;
  std::optional<Wall> at;
  int attempt = 0;
  std::string kind;
  std::string text;
};

struct ReservationView {
  std::uint64_t id = 0;  // 0: by the calendar.
  std::string name, user, tenant, by;
  bool maintenance = false;
  std::vector<CardRef> cards;
  std::vector<std::uint64_t> jobs_of_others;
  std::optional<Wall> from, until;
};

struct GroupView {
  std::string name;
  int limit = 0;
  bool paused = false;
  std::uint64_t running = 0;
  std::uint64_t waiting = 0;
};

// What would become of a submission that is only tried.
// With placeholders filled in.
struct PreviewJobView {
  std::string name, directory, output, error;
};
struct PreviewView {
  std::vector<std::string> commands;  // The first ones.
  std::vector<PreviewJobView> jobs;   // The same; empty: of an older daemon.
  bool starts_now = false;
  std::vector<int> cards;
  std::vector<std::string> reasons;
  std::optional<Wall> estimated_start;
  std::string start_unknown;  // Why nobody can say.
};

struct SubmittedView {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t count = 0;
  bool repeated = false;
  std::string warning;  // A deadline that cannot be met, a group that is not there.
  std::optional<PreviewView> preview;
};

struct ChangedView {
  std::vector<std::uint64_t> changed;
  std::vector<std::pair<std::uint64_t, std::string>> unchanged;  // With why.
};

struct WaitedView {
  bool done = false;
  std::vector<JobView> jobs;
  std::vector<SweepView> sweeps;
};

struct VersionView {
  std::string version;
  int api_least = 0;
  int api_most = 0;
  int pid = 0;
  std::uint32_t uid = 0;
  std::string state_directory;
  std::string cards_from;
  std::vector<std::string> problems;
};

Result<JobView> parse_job(std::string_view body);  // One row, as in an event.
Result<std::vector<JobView>> parse_jobs(std::string_view body);
Result<std::vector<JobDetails>> parse_job_details(std::string_view body);
Result<SweepView> parse_sweep(std::string_view body);
// The list "sweeps"; none: empty.
Result<std::vector<SweepView>> parse_sweeps(std::string_view body);
Result<OverviewView> parse_overview(std::string_view body);
Result<ExplainView> parse_explain(std::string_view body);
Result<ExplainedTogetherView> parse_explained_together(std::string_view body);
Result<std::vector<TrailView>> parse_trail(std::string_view body);
Result<std::vector<GroupView>> parse_groups(std::string_view body);
// How many jobs wait that a removed group limited; 0 also of an older daemon.
std::uint64_t parse_group_removed(std::string_view body);
Result<std::vector<ReservationView>> parse_reservations(std::string_view body);
Result<GpusView> parse_gpus(std::string_view body);
Result<SubmittedView> parse_submitted(std::string_view body);
Result<ChangedView> parse_changed(std::string_view body);
Result<WaitedView> parse_waited(std::string_view body);
Result<VersionView> parse_version(std::string_view body);

}  // namespace gpusched::cli
