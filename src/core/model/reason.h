// Why a job waits, as data. Computed on demand by why_waiting(); words come last, in describe().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/ids.h"
#include "core/model/lack.h"
#include "core/model/tenant.h"

namespace gpusched {

enum class ReasonCode {
  kHeld,           // By its user.
  kCrashGuard,     // Its sweep died at once, several times over.
  kDependency,     // Waits for other jobs (`jobs`).
  kBegin,          // Not before a time (`until`).
  kRetry,          // Back-off after a failure (`until`).
  kMachineLimit,   // As many jobs run as the daemon can follow (`wanted`).
  kGroupLimit,     // Its group runs as many as it may (`wanted` of `available`).
  kGroupPaused,    // Nothing of its group (`name`) starts.
  kArrayLimit,     // Its array does.
  kTenantQuota,    // A quota of its tenant (`quota`, `name`).
  kNoSuchCard,     // No usable card matches its constraints at present.
  kCards,          // Too few cards with enough room (`jobs` hold them).
  kCpus,           // Too few CPUs free.
  kRam,            // Too little host RAM free.
  kCardsReserved,  // Cards it could use are reserved in advance (`name` says for whom).
  kReserved,       // It would fit, but delays the first waiting job (`jobs`).
  kKept,           // It would fit, but others (`jobs`) return there before it.
  kSlowPair,       // It would fit beside `jobs`, but they slow each other down.
  kMakingRoom,     // Others (`jobs`) are being moved aside for it.
  kRoomLater,      // Others (`jobs`) may be moved aside for it from `until` on.
  kMovedAside,     // Moved aside for others (`jobs`); returns when there is room.
  kStandsStill,    // Stopped until another one (`jobs`) has left its card.
  kPaused,         // Moved aside by hand.
  kVramLimit,      // Stopped at its VRAM limit (`until`, `name`).
  kDiskFull,       // The state directory's disk has no room for its log and records.
  kNext,           // Nothing stands in its way: it starts with the next decision.
};
const char* reason_code_name(ReasonCode code);

// A foreign process on a card that the job could use.
struct ForeignHolder {
  CardNumber card{};
  int pid = 0;
  std::uint64_t vram_bytes = 0;
  std::string user;
  std::string command;
  std::optional<Microseconds> held_for;
  bool idle = false;  // It has not used the card for a while.
  // Its load is what is in the way, not its memory. 0: that is not so.
  int busy_percent = 0;
};

// A smaller wish with which the job would start at once.
struct Help {
  enum class Kind : std::uint8_t {
    kLessVram,
    kLessShare,
    kFewerCards,
    kAnyCards,
    kShorterTime,
    kFewerCpus,
    kLessRam,
  };
  Kind kind = Kind::kLessVram;
  std::uint64_t value = 0;  // Bytes, percent, cards, seconds, CPUs.
  std::uint64_t asked = 0;  // What it asks for now; 0: nothing was said.
  friend bool operator==(const Help&, const Help&) = default;
};

// Why a job that is on a card stays there, although another one waits.
enum class Stays : std::uint8_t {
  kNothing,         // It could go.
  kOff,             // Nobody is ever moved (scheduling.preemption).
  kAsImportant,     // Its band is not low enough.
  kNever,           // It asked to stay.
  kLease,           // A lease goes only while it sits idle.
  kYoung,           // It has not run for long enough, or is just back.
  kTired,           // It was moved as often as a job may be.
  kBusy,            // It starts, ends or moves at this moment.
  kSavesOnly,       // Only who can save itself is asked to go.
  kMps,             // The driver does not move clients of MPS.
  kCardsDoNotMove,  // The driver of its cards moves nothing.
  kRefused,         // The driver did not move its program before.
  kHostRam,         // Host RAM has no room for what it has on its cards.
  kFailedLately,    // Its last move failed a moment ago.
  kEndsSoon,        // It is over before moving it would have helped.
  kOthersReturn,    // It could go, but who is leaving those cards returns there first.
  kOthersLeave,     // It could go, but there is room when those that are leaving are gone.
  kStartsSooner,    // It could go, but the job starts by itself before it would be gone.
  kCardSilent,      // It could go, but a card may have room that has not answered for a moment.
};
struct Staying {
  JobId job{};
  Stays why = Stays::kNothing;
  friend bool operator==(const Staying&, const Staying&) = default;
};

// What a job has of what is missing on the host: CPUs or bytes.
struct HostHolder {
  JobId job{};
  std::uint64_t amount = 0;
  friend bool operator==(const HostHolder&, const HostHolder&) = default;
};

// The one of `jobs` that ends first, as far as anybody knows.
struct SoonestEnd {
  JobId job{};
  std::uint64_t cards = 0;  // That it holds.
  Microseconds in{};
  bool limit = false;  // Its limit says so, not an estimate.
};

struct Reason {
  ReasonCode code = ReasonCode::kNext;
  std::vector<JobId> jobs;  // Those that hold, or are waited for; at most ten, by id.
  std::optional<Wall> until;
  std::uint64_t wanted = 0;  // In the unit of the code: cards, CPUs, bytes, jobs.
  std::uint64_t available = 0;
  std::uint64_t vram_bytes = 0;      // Per card, if the job shares its cards.
  int share_percent = 0;             // Likewise.
  std::vector<CardLack> lacks = {};  // What is missing on each card that it could use.
  std::optional<QuotaStop> quota;
  std::string name;  // Of the group or the tenant; of a card that is missing, why.
  std::vector<ForeignHolder> foreign;  // The one most in the way first, at most three.
  std::uint64_t cards_missing = 0;     // Of those that the machine should have.
  std::optional<SoonestEnd> soonest = {};
  std::vector<HostHolder> holders = {};  // Of CPUs or RAM, at most ten; who has most comes first.
  // Worked out for one job alone (explain); each was tried on the state.
  std::vector<Help> helps = {};
  bool starts_when_lifted = false;    // Nothing but this limit is in its way.
  std::vector<Staying> staying = {};  // Why none of `jobs` is moved aside for it.
};

// For people: "40 min".
std::string rough_duration(Microseconds length);

// "a process, pid 77, keeps card 0 busy (95 %)".
std::string describe(const ForeignHolder& holder);
// One sentence for people, and what would help, if something would.
std::string describe(const Reason& reason);
// Commands in it can be pasted; `job` is the one that waits, if it has a number yet.
std::string what_would_help(const Reason& reason, std::optional<JobId> job = {});
// Why nobody is moved aside for it; empty: there is nothing to say.
std::string why_no_room(const Reason& reason);

}  // namespace gpusched
