// A job: what was asked (JobSpec, shared and immutable), and where it stands (JobState, a sum
// type in which every state carries only its own fields). docs/job-states.md has the transitions.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "core/access/principal.h"
#include "core/model/adopted.h"
#include "core/model/ids.h"
#include "core/model/lease.h"
#include "core/model/needs.h"
#include "core/model/presence.h"
#include "core/model/rare.h"

namespace gpusched {

// The submitter's environment: stored once per distinct content, never shown to others.
struct Environment {
  std::string hash;                    // Lower-case hex digest of the content.
  std::vector<std::string> variables;  // "NAME=value", as execve takes them; any bytes but NUL.
  bool away = false;                   // Only its name is here; the variables are in the store.
};
using EnvironmentsByHash = std::map<std::string, std::shared_ptr<const Environment>>;

// Why an attempt ended; the words of product.md §7.
enum class Cause : std::uint8_t {
  kExit,
  kSignal,
  kTimeout,
  kExpired,
  kCudaOom,
  kHostOom,
  kGpuLost,
  kVramLimit,
  kLaunch,
  kDependency,
  kMachineLost,
  kSupervisorLost,
  kRestoreLost,
};
inline constexpr std::array kAllCauses = {
    Cause::kExit,       Cause::kSignal,     Cause::kTimeout,     Cause::kExpired,
    Cause::kCudaOom,    Cause::kHostOom,    Cause::kGpuLost,     Cause::kVramLimit,
    Cause::kLaunch,     Cause::kDependency, Cause::kMachineLost, Cause::kSupervisorLost,
    Cause::kRestoreLost};
// A set of causes, one bit each.
enum class CauseSet : std::uint32_t {};
constexpr CauseSet cause_bit(Cause cause) {
  return static_cast<CauseSet>(1U << static_cast<unsigned>(cause));
}
constexpr CauseSet operator|(CauseSet a, CauseSet b) {
  return static_cast<CauseSet>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool has_cause(CauseSet set, Cause cause) { return (set | cause_bit(cause)) == set; }
// What `--retries` covers unless told otherwise: failures that another try can cure.
inline constexpr CauseSet kDefaultRetryCauses =
    cause_bit(Cause::kExit) | cause_bit(Cause::kSignal) | cause_bit(Cause::kCudaOom) |
    cause_bit(Cause::kHostOom) | cause_bit(Cause::kGpuLost) | cause_bit(Cause::kVramLimit) |
    cause_bit(Cause::kSupervisorLost) | cause_bit(Cause::kRestoreLost);

enum class DependencyKind : std::uint8_t { kOk, kAny, kFail };
struct Dependency {
  JobId job{};
  DependencyKind kind = DependencyKind::kOk;
  friend bool operator==(const Dependency&, const Dependency&) = default;
};

struct RetryRule {
  int retries = 0;
  Seconds back_off{5};  // Before the first retry; doubles with each, at most an hour.
  CauseSet causes = kDefaultRetryCauses;
  friend bool operator==(const RetryRule&, const RetryRule&) = default;
};

struct TimeRule {
  Seconds limit{0};     // 0: none. Stands still while the job is paused.
  int warn_signal = 0;  // `--signal USR1@60`: sent this long before the limit; 0: none.
  Seconds warn_before{0};
  Seconds grace{10};  // Between TERM and KILL.
  friend bool operator==(const TimeRule&, const TimeRule&) = default;
};

enum class PreemptPolicy : std::uint8_t { kAuto, kCooperative, kNever };

// The job can save itself: it does so at this signal and ends with kSavedExitCode; its next attempt
// goes on from there (docs/checkpoint.md).
struct SaveTerms {
  int signal = 10;    // SIGUSR1; 0: none, it looks for the request file.
  Seconds grace{60};  // Between the signal and TERM.
  friend bool operator==(const SaveTerms&, const SaveTerms&) = default;
};
// "Saved, start me again": EX_TEMPFAIL of sysexits.h.
inline constexpr int kSavedExitCode = 75;

// How `run` is attached; a plain submit is kNone.
enum class Attach : std::uint8_t { kNone, kPipes, kPty };

// One soft resource limit of the submitting process, carried over to the job.
struct ResourceLimit {
  int resource = 0;  // RLIMIT_* of the kernel.
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;
  friend bool operator==(const ResourceLimit&, const ResourceLimit&) = default;
};

// All of them; one copy serves all jobs of a shell.
using ResourceLimits = std::vector<ResourceLimit>;

// What most jobs do not ask for; apart, to keep those small.
struct SpecExtras {
  std::string output_path;  // Empty: the job directory's log.
  std::string error_path;   // Empty: merged into output.
  std::vector<std::string> tags;
  std::string key;  // Idempotency key, per tenant.
  std::vector<Dependency> after;
  std::optional<Wall> begin;
  std::optional<Wall> expire;
  std::optional<Wall> deadline;  // It should be over by then (core/backfill/deadline.h).
  int terminal_rows = 0;         // Of the attaching terminal; 0 without one.
  int terminal_columns = 0;
  // On each card: an attempt that takes more in two looks in a row is ended. 0: no limit.
  std::uint64_t vram_limit_bytes = 0;
  std::string comment;  // For people.
  // On top of the environment: "NAME=value" with placeholders still in place; "NAME": taken away.
  std::vector<std::string> variables;
  std::string shell_program;        // Runs the line; empty: /bin/sh.
  std::vector<std::string> notify;  // Whom to tell of what (core/model/notify_wish.h).
  bool detached = false;            // Left to itself by its client before it started.
  int array_limit = 0;  // `--array 0-99%4`: how many of the array run at once; 0: no limit.
  friend bool operator==(const SpecExtras&, const SpecExtras&) = default;
};

// What the user asked for. Immutable once accepted; the jobs of an array share one, so that
// placeholders ({lr}, {line}, {index}) are still in place (core/model/placeholders.h).
struct JobSpec {
  std::vector<std::string> argv;
  std::string working_directory;
  // Once all its jobs have ended, only the name (ended_environments.h): the one field that changes.
  mutable std::shared_ptr<const Environment> environment;
  std::shared_ptr<const ResourceLimits> limits = {};  // Null: none are carried over.
  std::string name;
  std::string group;  // Named group with a limit; empty: none.
  std::string project;
  Needs needs;
  RetryRule retry;
  TimeRule time;
  std::uint32_t umask = 022;
  bool shell = false;  // argv[0] is a line for a shell's -c.
  bool restartable = false;
  PreemptPolicy preempt = PreemptPolicy::kAuto;
  Attach attach = Attach::kNone;
  Rare<SpecExtras> extras;
  std::shared_ptr<const SaveTerms> saves = {};         // Set: it speaks the checkpoint contract.
  std::shared_ptr<LeaseTerms> lease = {};              // Set: a lease; it has no command.
  std::shared_ptr<const AdoptedProcess> adopted = {};  // Set: its process was there before.
};

// What distinguishes one job of an array or sweep from its siblings.
struct ArrayTask {
  JobId array{};  // The first job of the array; names the array.
  std::uint32_t index = 0;
  std::vector<std::pair<std::string, std::string>> values;  // {name} -> value.
};

// The cards and host resources an attempt holds.
struct CardGrant {
  CardNumber card{};
  std::uint64_t vram_bytes = 0;  // Held on that card.
  int share_percent = 0;
  bool whole = false;
  // What must be free there when it starts, apart from what other jobs hold. Not kept.
  std::uint64_t least_bytes = 0;
  friend bool operator==(const CardGrant& a, const CardGrant& b) {
    return a.card == b.card && a.vram_bytes == b.vram_bytes && a.share_percent == b.share_percent &&
           a.whole == b.whole;
  }
};
// As vram_bytes of a card: nobody knows what the job has there. More than any card has.
inline constexpr std::uint64_t kUnknownHold = 1ULL << 40;
struct Grant {
  std::vector<CardGrant> cards;
  int cpus = 0;
  std::uint64_t ram_bytes = 0;
  bool mps = false;  // It uses its card through an MPS server (core/model/mps.h).
  friend bool operator==(const Grant&, const Grant&) = default;
};

// What an attempt had and used of its cards, as far as it was seen.
struct GpuUsage {
  double gpu_seconds = 0;                  // Cards held times seconds, used or not.
  std::uint64_t peak_vram_bytes = 0;       // On all its cards together.
  std::uint64_t peak_card_vram_bytes = 0;  // On its fullest card.
  std::uint64_t mean_vram_bytes = 0;       // Per card.
  std::optional<double> mean_busy_percent;
  std::optional<double> mean_sm_active_percent;  // Where it was alone on a card that measures it.
  std::optional<double> energy_joules;
  friend bool operator==(const GpuUsage&, const GpuUsage&) = default;
};

struct Usage {
  Microseconds user_cpu{0};
  Microseconds system_cpu{0};
  std::uint64_t max_rss_bytes = 0;
  std::optional<GpuUsage> gpu;  // Absent: it had no card.
  std::string said = {};        // What it last said beside its progress; may be empty.
  friend bool operator==(const Usage&, const Usage&) = default;
};

// --- Where a job stands ---------------------------------------------------------------------

enum class HoldReason : std::uint8_t { kUser, kCrashGuard };
struct Held {
  HoldReason why = HoldReason::kUser;
  friend bool operator==(const Held&, const Held&) = default;
};
struct Queued {
  // A retry waits until then. Wall is what is stored and shown; boot is what is waited for.
  std::optional<Wall> retry_at;
  std::optional<Boot> retry_boot;
  friend bool operator==(const Queued&, const Queued&) = default;
};
// Asked to stop while an attempt was alive; what the attempt's end will mean.
// kPreempt: for somebody more important, by saving itself or by beginning again later. kLetGo: an
// adopted process goes on without us, once it is on its cards.
enum class StopReason : std::uint8_t {
  kNone,
  kCancel,
  kRequeue,
  kGpuLost,
  kPressure,
  kMakeRoom,
  kRestoreLost,
  kVramLimit,
  kLetGo,
};
struct Starting {
  Grant grant;
  Wall decided_at{};
  StopReason stopping = StopReason::kNone;
  friend bool operator==(const Starting&, const Starting&) = default;
};
struct Running {
  Grant grant;
  Wall started_at{};
  StopReason stopping = StopReason::kNone;
  // What it had used when that was last written down; the daemon may have been another one. Null:
  // nothing is known.
  std::shared_ptr<const GpuUsage> used = {};
  std::shared_ptr<const Presence> presence = {};  // Null: it was never moved aside.
  JobId leaves_for{};                             // While stopping is kPreempt: for whom.
  friend bool operator==(const Running&, const Running&) = default;
};
enum class Outcome : std::uint8_t { kCompleted, kFailed, kCancelled };
struct Ended {
  Outcome outcome = Outcome::kCompleted;
  // Absent for a cancelled job: nothing failed.
  std::optional<Cause> cause;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string message;  // One sentence for people; may be empty.
  std::optional<Wall> started_at;
  Wall ended_at{};
  Grant grant;                         // What the last attempt held.
  std::shared_ptr<const Usage> usage;  // Null: nothing is known. Apart, to keep waiting jobs small.
  friend bool operator==(const Ended&, const Ended&) = default;
};
using JobState = std::variant<Held, Queued, Starting, Running, Ended>;

// A job's place among those of equal rank: by when it came, then by its number.
struct QueuePlace {
  Wall at{};
  JobId rank{};
  friend auto operator<=>(const QueuePlace&, const QueuePlace&) = default;
};

struct Job {
  JobId id{};
  std::shared_ptr<const JobSpec> spec;
  std::shared_ptr<const ArrayTask> task;  // Null for a single job.
  Identity owner;
  std::string tenant;
  int priority = 50;
  int moves = 0;  // How often it was moved aside, all attempts together.
  Wall submitted_at{};
  Rare<QueuePlace> place;  // Another job's, whose place it took; unset: its own.
  int attempt = 0;         // Attempts begun so far; the current one while starting or running.
  int failures = 0;        // Attempts that counted against the retries.
  // After an out-of-memory failure or under pressure: the next attempt holds no less on each card.
  std::uint64_t vram_floor_bytes = 0;
  int saved_attempt =
      0;                // The last attempt that saved itself, for the next to go on from; 0: none.
  int quick_saves = 0;  // In a row: unasked, and soon after the start. They wait longer each time.
  // Worked out when the state takes it in, because it is asked for in every turn; never stored.
  SignatureId signature{};
  SignatureId sweep_signature{};    // 0: not of a sweep.
  SignatureId program_signature{};  // 0: its program is not known.
  JobState state = Queued{};

  bool ended() const { return std::holds_alternative<Ended>(state); }
  bool active() const {
    return std::holds_alternative<Starting>(state) || std::holds_alternative<Running>(state);
  }
  AttemptId current_attempt() const { return {id, attempt}; }
  // What is shared must be the same, not only alike.
  friend bool operator==(const Job&, const Job&) = default;
};

// The public word for a state: held, queued, starting, running, completed, failed, cancelled.
const char* state_name(const JobState& state);
const char* cause_name(Cause cause);
std::optional<Cause> cause_named(const std::string& name);
// Zeros where nothing is known.
const Usage& usage_of(const Ended& ended);
// The grant of an active or ended job, null otherwise.
const Grant* grant_of(const Job& job);
// What an active or ended job was given on a card; null: nothing.
const CardGrant* given_on(const Job& job, CardNumber card);
// What the end of an active job's attempt will mean; kNone for others.
StopReason stopping_of(const Job& job);
// Null: it was never moved aside, or is not running.
const Presence* presence_of(const Job& job);
// Null: it is on its cards, or not running.
const Aside* aside_of(const Running& running);
const Aside* aside_of(const Job& job);
// Nullopt in the same cases.
std::optional<AsidePhase> aside_phase(const Job& job);
inline bool is_aside(const Job& job) { return aside_of(job) != nullptr; }
// Stopped for a moment while another one leaves its card.
bool stands_still(const Job& job);
// What an active job takes from others now: its grant, or, made in `away`, what it keeps while it
// is moved aside. REQUIRES: job.active().
const Grant& held_by(const Job& job, Grant&& away = {});
// It leaves its cards, or what was ordered of its move has been done.
Presence& set_aside(Job& job, Aside aside);
// To change something of one that is aside. REQUIRES: is_aside(job).
Aside& change_aside(Job& job);
// It is on its cards again, or could not leave them: it was away until `now`. REQUIRES:
// is_aside(job).
Presence& return_to_cards(Job& job, Wall now);
// How long it was aside by then, all times together.
Microseconds away_for(const Job& job, Wall now);
// How long it has computed by then: the time since its start without that aside.
Microseconds ran_for(const Running& running, Wall now);

// Where it stands in the queue.
QueuePlace queue_place_of(const Job& job);

// The command as it will be executed: placeholders filled in from the task.
std::vector<std::string> command_of(const Job& job);
// For people: the command on one line, cut after kCommandLineMost bytes.
inline constexpr std::size_t kCommandLineMost = 1000;
std::string command_line_of(const Job& job);
// What others may see of it: the program's name, without a path and without arguments.
std::string program_of(const Job& job);

}  // namespace gpusched
