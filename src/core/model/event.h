// What comes into the core: what clients ask and what the world reports. Plain values; the same
// ones flow in the daemon, in the simulator and after a crash.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "core/access/token.h"
#include "core/model/alarm.h"
#include "core/model/card.h"
#include "core/model/card_view.h"
#include "core/model/health.h"
#include "core/model/ids.h"
#include "core/model/job.h"
#include "core/model/job_patch.h"
#include "core/model/move.h"
#include "core/model/reservation.h"
#include "core/model/rules.h"
#include "core/model/tenant.h"

namespace gpusched {

// --- Asked by clients -------------------------------------------------------------------------

// One job, or the jobs of an array or sweep. Large ones arrive as several slices with one
// submission number: `first_slice`, then more, the last one with `last_slice`.
struct SubmitAsked {
  std::uint64_t submission = 0;  // Given by the engine; equal for all slices.
  Principal actor;
  Identity owner;
  std::string tenant;
  std::shared_ptr<const JobSpec> spec;
  int priority = 50;
  bool hold = false;
  std::string fingerprint;
  bool array = false;  // Even if it has one task.
  struct Task {
    std::uint32_t index = 0;
    std::vector<std::pair<std::string, std::string>> values;
  };
  std::vector<Task> tasks;   // Of this slice; exactly one, unnamed, for a single job.
  std::uint64_t total = 1;   // Tasks in the whole submission.
  std::uint64_t offset = 0;  // Of this slice's first task in the whole.
  bool first_slice = true;
  bool last_slice = true;
};
struct CancelAsked {
  Principal actor;
  std::vector<JobId> jobs;
  std::optional<Seconds> grace;
};
struct HoldAsked {
  Principal actor;
  std::vector<JobId> jobs;
};
struct ReleaseAsked {
  Principal actor;
  std::vector<JobId> jobs;
};
// Moves a running job aside until it is asked for again.
struct PauseAsked {
  Principal actor;
  std::vector<JobId> jobs;
};
// Lets a job that was paused return when there is room.
struct ResumeAsked {
  Principal actor;
  std::vector<JobId> jobs;
};
// Runs an ended job again under its id, or starts a running one over.
struct RequeueAsked {
  Principal actor;
  std::vector<JobId> jobs;
  // Of those that have ended, where these were put away; null: nobody puts any away.
  std::shared_ptr<const EnvironmentsByHash> environments = {};
};
// What became of the specs of jobs that are changed together.
using RenewedSpecs = std::map<std::shared_ptr<const JobSpec>, std::shared_ptr<const JobSpec>>;
// `set`: only the fields given change.
struct SetAsked {
  Principal actor;
  std::vector<JobId> jobs;
  JobPatch patch;
  // Of a change that comes in slices, so that the jobs of an array still share one.
  std::shared_ptr<RenewedSpecs> renewed = {};
};
// A running process becomes a job of its owner.
struct AdoptAsked {
  Principal actor = {};
  Identity owner;
  std::string tenant;
  std::shared_ptr<const JobSpec> spec;  // With `adopted`; without a need: what it has now.
  int priority = 50;
  std::vector<int> tree;  // The process and its descendants: where they are, it is.
};
// Adopted processes are to go on as if they had never been jobs.
struct LetGoAsked {
  Principal actor;
  std::vector<JobId> jobs;
};
// What is not said stays as it is, or has its default.
struct GroupSetAsked {
  Principal actor;
  std::string name;
  std::optional<int> limit = {};
  std::optional<bool> paused = {};
};
struct GroupRemoveAsked {
  Principal actor;
  std::string name;
  bool resume = false;  // Also a paused one that holds jobs back, which may start then.
};

// What is set at run time overrides the configuration, field by field.
struct TenantSetAsked {
  Principal actor;
  std::string name;
  TenantRule rule;
  bool replace = false;  // Forget what was set before; else only the fields given change.
};
struct TenantUnsetAsked {
  Principal actor;
  std::string name;
};

struct DrainAsked {
  Principal actor;
  std::vector<CardNumber> cards;
  std::string reason;
};
struct UndrainAsked {
  Principal actor;
  std::vector<CardNumber> cards;
};

// Cards kept for a user or tenant from a time to a time.
struct ReserveAsked {
  Principal actor;
  Reservation
      reservation;  // Without id, cards and maker; for no user and no tenant: for the actor.
  bool maintenance = false;  // For nobody at all.
  CardList cards;            // These, or
  int count = 0;             // so many, whichever are best.
};
struct UnreserveAsked {
  Principal actor;
  std::uint64_t id = 0;
};
// A token whose secret was drawn outside; only its hash is told.
struct TokenMakeAsked {
  Principal actor;
  Token token;
};
struct TokenRevokeAsked {
  Principal actor;
  std::string id;
};
// Alarms that match are not told for a while.
struct SilenceAsked {
  Principal actor;
  Silence silence;  // Without id and maker; `from` and `until` are set.
};
struct SilenceEndAsked {
  Principal actor;
  std::uint64_t id = 0;
};
// A message that says nothing but that messages arrive.
struct AlarmTestAsked {
  Principal actor;
  std::vector<std::string> receivers;
};
// Several leases of one asker: all of them join the queue before anything is decided, or none.
struct LeasesAsked {
  std::vector<SubmitAsked> leases;  // One task each; of one owner and tenant. Not empty.
};
// What holders of leases ask; waiting leases are given up, granted ones released.
struct LeaseReleaseAsked {
  Principal actor;
  std::vector<JobId> leases;
};
// It lives this long from now; 0: without an end.
struct LeaseRenewAsked {
  Principal actor;
  JobId lease{};
  Seconds ttl{0};
};
// Ends every lease that the actor's applications of this name have, whichever process asked.
struct LeaseResetAsked {
  Principal actor;
  std::string application;
};

// --- Reported by the world --------------------------------------------------------------------

struct CardsReported {
  std::vector<Card> cards;
};
// What the calendar of the configuration says for the time ahead.
struct CalendarRead {
  std::vector<Reservation> calendar;
};
// The settings that decisions depend on, as the file says them now.
struct SettingsRead {
  Rules rules;
  ConfiguredTenants tenants;
};
struct CardSeen {
  CardNumber card{};
  CardView view;
};
struct CardTroubleSeen {
  CardNumber card{};
  TroubleKind kind = TroubleKind::kXid;
  std::uint64_t number = 0;
};
// What the driver remembers of a process that has ended.
struct ProcessAccounted {
  AttemptId attempt;
  std::uint64_t peak_vram_bytes = 0;
};
// What a job says of itself through GPUSCHED_PROGRESS.
struct ProgressSeen {
  AttemptId attempt;
  std::uint64_t step = 0;
  std::uint64_t total = 0;
  Wall at{};
  std::string said = {};  // Beside the numbers: "loss=0.13".
};
struct AttemptRunning {
  AttemptId attempt;
  Wall started_at{};
  std::string without_mps = {};  // Why it does not run under MPS although it should.
};
struct AttemptFinished {
  AttemptId attempt;
  Cause cause = Cause::kExit;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string message;
  std::optional<Wall> started_at;
  Wall ended_at{};
  Usage usage;
  bool let_go = false;  // It has not ended, but goes on without us.
};
// The claim was won against the shim: the command has not run and never will.
struct AttemptNeverRan {
  AttemptId attempt;
  std::string error;  // Empty: lost in a crash, try again at once.
  // The disk was full: not the job's fault, and over some time. It waits, however often.
  bool no_room = false;
};
// When a token was used last; told seldom.
struct TokenUsed {
  std::string id;
  Wall at{};
};
// What became of messages that were sent.
struct MessagesSettled {
  struct Failed {
    std::uint64_t id = 0;
    std::string error;                        // One sentence.
    std::optional<Seconds> retry_after = {};  // As the receiver asks for it.
    bool refused = false;                     // It will never be taken.
  };
  std::vector<std::uint64_t> delivered;
  std::vector<Failed> failed = {};
};
// What a look at the machine changes of its alarms (core/alarm/look.h).
struct AlarmsSeen {
  AlarmChanges changes;
  std::uint64_t looked = 0;  // So far in the trail; after a crash it is looked at from there on.
};
// Whether there is room on the disk for job directories and commits.
struct DiskSeen {
  bool full = false;
};
// What each user's jobs keep on it, and how much a tenant may have (DiskUse).
struct DiskUseSeen {
  std::map<std::string, std::uint64_t> bytes;  // By user.
  std::uint64_t limit = 0;
};
// The holder of a lease has ended, or did not return; `why` is for people.
struct LeaseHolderGone {
  JobId lease{};
  std::string why;
  bool process_lives = false;  // Or may do so: only its connection is gone.
};
// An idle holder that is aside waits for its cards.
struct HolderActive {
  AttemptId attempt{};
};
// A deadline of the state has come: begin, expire, retry, overdue, and of jobs.
struct TimePassed {};
// Ended jobs that are too old or too many; `most` bounds one turn's work.
struct RetentionDue {
  std::size_t most = 100;
  std::optional<Wall> by = {};  // The time that ages are told by; absent: now (clock_watch.h).
};
// The crash guard holds the waiting jobs of a sweep, a slice per turn, from job `from` on.
struct HoldSweep {
  JobId array{};
  JobId from{};
};
// A large submission whose commit failed half-way: its jobs go, a slice per turn.
struct SubmissionAbandoned {
  std::uint64_t submission = 0;
};
// Cards or CPUs may have changed for reasons outside this list; decide again.
struct Reconsider {};

using Event =
    std::variant<SubmitAsked, CancelAsked, HoldAsked, ReleaseAsked, PauseAsked, ResumeAsked,
                 RequeueAsked, SetAsked, AdoptAsked, LetGoAsked, GroupSetAsked, GroupRemoveAsked,
                 TenantSetAsked, TenantUnsetAsked, DrainAsked, UndrainAsked, ReserveAsked,
                 UnreserveAsked, TokenMakeAsked, TokenRevokeAsked, LeasesAsked, LeaseReleaseAsked,
                 LeaseRenewAsked, LeaseResetAsked, CardsReported, CalendarRead, SettingsRead,
                 CardSeen, CardTroubleSeen, ProcessAccounted, ProgressSeen, AttemptRunning,
                 AttemptFinished, AttemptNeverRan, MovedAside, BroughtBack, MoveFailed,
                 LeaseHolderGone, HolderActive, TimePassed, RetentionDue, HoldSweep,
                 SubmissionAbandoned, DiskSeen, DiskUseSeen, TokenUsed, MessagesSettled, Reconsider,
                 AlarmsSeen, SilenceAsked, SilenceEndAsked, AlarmTestAsked>;

// --- Answers ----------------------------------------------------------------------------------

enum class RefusalKind : std::uint8_t {
  kInvalid,
  kNotFound,
  kForbidden,
  kConflict,
  kNeverFits,
};
struct Refusal {
  RefusalKind kind = RefusalKind::kInvalid;
  std::string message;
};
struct Submitted {
  JobId first{};
  std::uint64_t count = 0;
  bool repeated = false;
};
struct Changed {
  std::vector<JobId> jobs;
  std::vector<std::pair<JobId, std::string>> unchanged;  // With the reason, for people.
};
// The reservation that was made, or taken back.
struct ReservationChanged {
  Reservation reservation;
};
// What the asker is told; world reports get monostate.
using Answer = std::variant<std::monostate, Refusal, Submitted, Changed, ReservationChanged>;

}  // namespace gpusched
