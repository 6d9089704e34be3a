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
#include "wire/messages/card.h"
#include "wire/messages/jobs.h"
#include "wire/messages/machine.h"

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

using AsideView = wire::CardAside;

// One reading of a card: what the driver did not say is absent.
using SampleView = watch::CardSample;

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
  wire::MoveRate out, back;  // Of its memory, to host RAM and back.
  std::string alias;
  bool managed = true;
  std::vector<std::uint64_t> jobs;
  std::optional<wire::OthersOnCard> others;  // Jobs that are counted only.
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

// "7,9", "7 and 2 of others (31 GiB)"; "-": none.
std::string jobs_on(const CardView& card);

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

using CountsView = wire::Counts;

using SweepView = wire::Sweep;

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

using ReasonView = wire::WaitingReason;
using ExplainView = wire::Explanation;

// Several jobs, by what they wait for.
using AlikeView = wire::AlikeJobs;
struct ExplainedTogetherView : wire::ExplainedTogether {
  bool together = false;  // False: the answer is of one job.
};

using TrailView = wire::TrailLine;

using ReservationView = wire::Reservation;

using GroupView = wire::Group;

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

using VersionView = wire::Version;

// What the client shows of cards.
std::vector<CardView> views_of(std::vector<wire::Card> cards);

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
Result<SubmittedView> parse_previewed(std::string_view body);  // Of one that is only tried.
Result<ChangedView> parse_changed(std::string_view body);
Result<WaitedView> parse_waited(std::string_view body);
Result<VersionView> parse_version(std::string_view body);

}  // namespace gpusched::cli
