// Answers and requests about jobs: lists, sweeps, changes, explanations, trails.
#pragma once

#include "wire/message.h"
#include "wire/messages/card.h"
#include "wire/messages/job.h"

namespace gpusched::wire {

struct Counts {
  std::uint64_t held = 0, queued = 0, starting = 0, running = 0, paused = 0;
  std::uint64_t completed = 0, failed = 0, cancelled = 0;

  static constexpr std::string_view kName = "Counts";
  static constexpr auto fields() {
    return std::make_tuple(field("held", &Counts::held), field("queued", &Counts::queued),
                           field("starting", &Counts::starting), field("running", &Counts::running),
                           field("paused", &Counts::paused), field("completed", &Counts::completed),
                           field("failed", &Counts::failed),
                           field("cancelled", &Counts::cancelled));
  }
};

// Jobs of one array or sweep as one line.
struct Sweep {
  std::uint64_t id = 0;               // Of its first job.
  std::uint64_t first = 0, last = 0;  // Of those that are meant.
  std::uint64_t count = 0, of = 0;    // How many are meant, of how many.
  Counts counts;                      // Of those that are meant.
  std::vector<std::string> parameters;
  std::vector<int> cards;
  std::string reason;
  int priority = 50;
  std::optional<Wall> submitted_at;
  std::string name, command, user, tenant, group;
  std::vector<JobRow> failures;  // The first ones.

  std::uint64_t waiting() const { return counts.held + counts.queued; }
  std::uint64_t active() const { return counts.starting + counts.running + counts.paused; }
  std::uint64_t open() const { return waiting() + active(); }

  static constexpr std::string_view kName = "Sweep";
  static constexpr auto fields() {
    return std::make_tuple(
        field("id", &Sweep::id), field("first", &Sweep::first), field("last", &Sweep::last),
        field("count", &Sweep::count), field("of", &Sweep::of), field("counts", &Sweep::counts),
        field("parameters", &Sweep::parameters), field("cards", &Sweep::cards),
        field("reason", &Sweep::reason, kOrNull), field("priority", &Sweep::priority),
        field("submitted_at", &Sweep::submitted_at, kAlways), field("name", &Sweep::name, kOrNull),
        field("command", &Sweep::command), field("user", &Sweep::user),
        field("tenant", &Sweep::tenant), field("group", &Sweep::group, kOrNull),
        field("failures", &Sweep::failures));
  }
};

struct OneSweep {
  int schema = 1;
  Sweep sweep;

  static constexpr std::string_view kName = "OneSweep";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &OneSweep::schema), field("sweep", &OneSweep::sweep));
  }
};

struct JobList {
  int schema = 1;
  std::vector<JobRow> jobs;
  std::optional<std::vector<Sweep>> sweeps;
  std::string next;  // The cursor of the next page.

  static constexpr std::string_view kName = "JobList";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &JobList::schema), field("jobs", &JobList::jobs),
                           field("sweeps", &JobList::sweeps, kMaybe),
                           field("next", &JobList::next, kMaybe));
  }
};

struct JobDetailsList {
  int schema = 1;
  std::vector<JobDetails> jobs;
  std::string next;  // The cursor of the next page.

  static constexpr std::string_view kName = "JobDetailsList";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &JobDetailsList::schema),
                           field("jobs", &JobDetailsList::jobs),
                           field("next", &JobDetailsList::next, kMaybe));
  }
};

struct Waited {
  int schema = 1;
  bool done = false;
  std::vector<JobRow> jobs;
  std::optional<std::vector<Sweep>> sweeps;

  static constexpr std::string_view kName = "Waited";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Waited::schema), field("done", &Waited::done),
                           field("jobs", &Waited::jobs), field("sweeps", &Waited::sweeps, kMaybe));
  }
};

struct Overview {
  int schema = 1;
  std::vector<JobRow> running;
  std::vector<JobRow> waiting;
  std::vector<JobRow> recent;
  std::optional<std::vector<Sweep>> sweeps;  // Their jobs are in none of the lists before.
  Counts counts;
  std::vector<Card> cards;
  std::vector<std::string> problems;  // What somebody has to see to.

  static constexpr std::string_view kName = "Overview";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Overview::schema), field("running", &Overview::running),
                           field("waiting", &Overview::waiting), field("recent", &Overview::recent),
                           field("sweeps", &Overview::sweeps, kMaybe),
                           field("counts", &Overview::counts), field("cards", &Overview::cards),
                           field("problems", &Overview::problems));
  }
};

struct Unchanged {
  std::uint64_t id = 0;
  std::string why;

  static constexpr std::string_view kName = "Unchanged";
  static constexpr auto fields() {
    return std::make_tuple(field("id", &Unchanged::id), field("why", &Unchanged::why));
  }
};
struct ChangedJobs {
  int schema = 1;
  std::vector<std::uint64_t> changed;
  std::vector<Unchanged> unchanged;
  bool dry_run = false;

  static constexpr std::string_view kName = "Changed";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &ChangedJobs::schema),
                           field("changed", &ChangedJobs::changed),
                           field("unchanged", &ChangedJobs::unchanged),
                           field("dry_run", &ChangedJobs::dry_run, kMaybe));
  }
};

// Why a job waits, or would wait.
struct WaitingReason {
  std::string code;
  std::string message;
  std::string helps;
  std::vector<std::uint64_t> jobs;
  std::optional<std::vector<std::string>> missing;
  std::string no_room;

  static constexpr std::string_view kName = "Reason";
  static constexpr auto fields() {
    return std::make_tuple(
        field("code", &WaitingReason::code), field("message", &WaitingReason::message),
        field("helps", &WaitingReason::helps, kOrNull), field("jobs", &WaitingReason::jobs),
        field("missing", &WaitingReason::missing, kMaybe),
        field("no_room", &WaitingReason::no_room, kOrNull));
  }
};
struct PreviewCard {
  int number = 0;
  std::string uuid;
  std::uint64_t vram_bytes = 0;
  bool whole = false;

  static constexpr std::string_view kName = "PreviewCard";
  static constexpr auto fields() {
    return std::make_tuple(
        field("number", &PreviewCard::number), field("uuid", &PreviewCard::uuid, kOrNull),
        field("vram_bytes", &PreviewCard::vram_bytes), field("whole", &PreviewCard::whole));
  }
};
// With placeholders filled in.
struct PreviewJob {
  std::string name, working_directory, output_path, error_path;

  static constexpr std::string_view kName = "PreviewJob";
  static constexpr auto fields() {
    return std::make_tuple(field("name", &PreviewJob::name, kOrNull),
                           field("working_directory", &PreviewJob::working_directory),
                           field("output_path", &PreviewJob::output_path, kOrNull),
                           field("error_path", &PreviewJob::error_path, kOrNull));
  }
};
// What would become of a submission that is only tried.
struct Preview {
  std::vector<std::string> commands;  // The first ones.
  std::vector<PreviewJob> jobs;       // The same.
  bool starts_now = false;
  std::vector<PreviewCard> gpus;
  std::vector<WaitingReason> reasons;
  std::optional<Wall> estimated_start;
  std::optional<Wall> latest_start;
  std::string start_unknown;  // Why nobody can say.

  static constexpr std::string_view kName = "Preview";
  static constexpr auto fields() {
    return std::make_tuple(field("commands", &Preview::commands), field("jobs", &Preview::jobs),
                           field("starts_now", &Preview::starts_now), field("gpus", &Preview::gpus),
                           field("reasons", &Preview::reasons),
                           field("estimated_start", &Preview::estimated_start),
                           field("latest_start", &Preview::latest_start),
                           field("start_unknown", &Preview::start_unknown, kOrNull));
  }
};

// The same by itself: of a job that nobody submits.
struct Previewed : Preview {
  int schema = 1;
  std::uint64_t count = 0;  // So many jobs it would be.
  std::string warning;      // As a submission has it.

  static constexpr std::string_view kName = "Previewed";
  static constexpr auto fields() {
    return std::tuple_cat(
        std::make_tuple(field("schema", &Previewed::schema), field("count", &Previewed::count),
                        field("warning", &Previewed::warning, kOrNull)),
        Preview::fields());
  }
};

struct SubmittedJobs {
  int schema = 1;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t count = 0;
  bool repeated = false;
  std::optional<std::vector<JobRow>> jobs;
  std::string warning;  // A deadline that cannot be met, a group that is not there.
  bool dry_run = false;
  std::optional<Preview> preview;

  static constexpr std::string_view kName = "Submitted";
  static constexpr auto fields() {
    return std::make_tuple(
        field("schema", &SubmittedJobs::schema), field("first", &SubmittedJobs::first),
        field("last", &SubmittedJobs::last), field("count", &SubmittedJobs::count),
        field("repeated", &SubmittedJobs::repeated), field("jobs", &SubmittedJobs::jobs, kMaybe),
        field("warning", &SubmittedJobs::warning, kMaybe),
        field("dry_run", &SubmittedJobs::dry_run, kMaybe),
        field("preview", &SubmittedJobs::preview, kMaybe));
  }
};

struct Adopted {
  int schema = 1;
  std::uint64_t id = 0;
  std::optional<JobRow> job;
  bool dry_run = false;

  static constexpr std::string_view kName = "Adopted";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Adopted::schema), field("id", &Adopted::id),
                           field("job", &Adopted::job),
                           field("dry_run", &Adopted::dry_run, kMaybe));
  }
};

struct CancelRequest {
  std::optional<Seconds> grace;

  static constexpr std::string_view kName = "CancelRequest";
  static constexpr auto fields() {
    return std::make_tuple(field("grace_s", &CancelRequest::grace));
  }
};

// Of a verb that needs nothing.
struct EmptyRequest {
  static constexpr std::string_view kName = "EmptyRequest";
  static constexpr auto fields() { return std::make_tuple(); }
};

struct Explanation {
  std::uint64_t id = 0;
  std::string state;
  std::optional<std::uint64_t> position;
  std::vector<WaitingReason> reasons;
  std::optional<Wall> estimated_start;
  std::optional<Wall> latest_start;
  std::string start_unknown;
  bool start_guessed = false;  // Older clients ask for it; nothing is guessed any more.
  std::optional<Wall> estimated_at;
  bool mps = false;
  std::optional<Wall> deadline;
  std::string deadline_warning;
  std::optional<Wall> expire;

  static constexpr std::string_view kName = "Explanation";
  static constexpr auto fields() {
    return std::make_tuple(
        field("id", &Explanation::id), field("state", &Explanation::state, {.words = kJobStates}),
        field("position", &Explanation::position), field("reasons", &Explanation::reasons),
        field("estimated_start", &Explanation::estimated_start),
        field("latest_start", &Explanation::latest_start),
        field("start_unknown", &Explanation::start_unknown, kOrNull),
        field("start_guessed", &Explanation::start_guessed),
        field("estimated_at", &Explanation::estimated_at), field("mps", &Explanation::mps),
        field("deadline", &Explanation::deadline),
        field("deadline_warning", &Explanation::deadline_warning, kOrNull),
        field("expire", &Explanation::expire));
  }
};
struct Explained : Explanation {
  int schema = 1;

  static constexpr std::string_view kName = "Explained";
  static constexpr auto fields() {
    return std::tuple_cat(std::make_tuple(field("schema", &Explained::schema)),
                          Explanation::fields());
  }
};
// Jobs that wait for the same.
struct AlikeJobs {
  std::uint64_t count = 0;
  std::vector<std::uint64_t> jobs;  // The first of them.
  std::optional<Explanation> first;

  static constexpr std::string_view kName = "AlikeJobs";
  static constexpr auto fields() {
    return std::make_tuple(field("count", &AlikeJobs::count), field("jobs", &AlikeJobs::jobs),
                           field("first", &AlikeJobs::first));
  }
};
struct ExplainedTogether {
  int schema = 1;
  std::uint64_t count = 0;
  std::uint64_t groups_left_out = 0;
  std::vector<AlikeJobs> groups;

  static constexpr std::string_view kName = "ExplainedTogether";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &ExplainedTogether::schema),
                           field("count", &ExplainedTogether::count),
                           field("groups_left_out", &ExplainedTogether::groups_left_out),
                           field("groups", &ExplainedTogether::groups));
  }
};

struct TrailLine {
  std::uint64_t sequence = 0;
  std::uint64_t job = 0;
  std::optional<Wall> at;
  int attempt = 0;
  std::string kind;
  std::string text;

  static constexpr std::string_view kName = "TrailLine";
  static constexpr auto fields() {
    return std::make_tuple(field("sequence", &TrailLine::sequence), field("job", &TrailLine::job),
                           field("at", &TrailLine::at, kAlways),
                           field("attempt", &TrailLine::attempt), field("kind", &TrailLine::kind),
                           field("text", &TrailLine::text));
  }
};
struct Trail {
  int schema = 1;
  std::vector<TrailLine> events;
  std::string next;  // The cursor of the next page.

  static constexpr std::string_view kName = "Trail";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Trail::schema), field("events", &Trail::events),
                           field("next", &Trail::next, kMaybe));
  }
};

}  // namespace gpusched::wire
