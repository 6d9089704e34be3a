// What the sampler says and what it is told: the values behind docs/sampler-protocol.md. The lines
// themselves are read and written by wire/sampler_lines.h. Absent is unknown, never zero.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "core/model/ids.h"
#include "watch/sample.h"

namespace gpusched::watch {

struct Container {
  enum class Kind { kDocker, kPodman, kContainerd, kCrio, kLxc, kApptainer, kSystemd };
  Kind kind = Kind::kDocker;
  std::string id;   // As the engine names it: 64 hexadecimal digits, or a name (LXC, nspawn).
  std::string pod;  // Kubernetes: the pod's UID; else empty.
  // The control group it is, from the root. Says which one it is: users can make groups of their
  // own that carry anybody's id in their names.
  std::string group;
  friend bool operator==(const Container&, const Container&) = default;
};

// How a process was found to belong to an attempt, surest first.
enum class Evidence { kCgroup, kTree, kEnvironment };

// Whose process it is. A process may end at any moment: then nothing of this is known.
struct ProcessOwner {
  std::optional<std::uint32_t> uid;
  std::string user;                  // Empty: unknown, or a number without a name.
  std::string command;               // Its arguments with blanks between; printable and bounded.
  std::optional<Boot> started;       // With the pid: this process and no other.
  std::optional<Wall> started_wall;  // For people.
  std::optional<AttemptId> attempt;  // Absent: a foreign process.
  std::optional<Evidence> evidence;  // Why it is believed to be that attempt's.
  std::optional<Container> container;
  bool alive = true;  // False: listed by the driver, but there is no such process (any more).
};

struct WatchedProcess {
  ProcessSample seen;
  ProcessOwner owner;
};

// --- What the sampler says ----------------------------------------------------------------------

struct NumberedCard {
  CardNumber number{};
  CardIdentity identity;
  std::string backend;  // Name of the one that sees it.
};
struct BackendState {
  std::string name;
  std::string driver_version;  // Empty: unknown.
  std::string trouble;         // Empty: it works. Else one sentence.
  bool absent = false;         // With a trouble that is none: no such hardware or driver.
};
// All cards there are, in the order of their numbers; the first report, and again when they change.
struct CardsReport {
  std::vector<NumberedCard> cards;
  std::vector<BackendState> backends;
};

// Why a card was looked at.
enum class Cause { kPeriod, kAsked, kExit, kEvent, kReturn };

struct SampleReport {
  CardNumber card{};
  std::string uuid;
  Now at;  // When the last answer of the driver was there.
  Cause cause = Cause::kPeriod;
  CardSample sample;
  std::optional<std::vector<WatchedProcess>> processes;  // Absent: the driver does not list them.
};
// The card does not answer; what was known of it no longer counts. A sample ends this.
struct UnknownReport {
  CardNumber card{};
  std::string uuid;
  Now at;
  std::string reason;
};
// Switched off by the kernel to save power. It has no user, and looking would wake it up.
struct AsleepReport {
  CardNumber card{};
  std::string uuid;
  Now at;
};
// Fell off the bus: the driver will not answer for it again until the machine is restarted.
struct GoneReport {
  CardNumber card{};
  std::string uuid;
  Now at;
  std::string reason;
};
struct EventReport {
  std::optional<CardNumber> card;  // Absent: not known which.
  Now at;
  CardEvent event;
};
struct EndedProcess {
  ProcessAccount account;
  std::optional<AttemptId> attempt;
};
struct EndedReport {
  CardNumber card{};
  std::string uuid;
  Now at;
  std::vector<EndedProcess> processes;
};
// Something that a person should read.
struct ComplaintReport {
  std::string sentence;
};
// A line of a type that this version does not know.
struct OtherReport {
  std::string type;
};
using Report = std::variant<CardsReport, SampleReport, UnknownReport, AsleepReport, GoneReport,
                            EventReport, EndedReport, ComplaintReport, OtherReport>;

// --- What it is told ----------------------------------------------------------------------------

// Absent: as it was.
struct PeriodOrder {
  std::optional<bool> busy;  // Something runs or waits.
  std::optional<std::chrono::milliseconds> busy_period, idle_period;
  std::optional<std::chrono::milliseconds> deadline;  // Of one call of a backend.
};
struct SampleNowOrder {
  std::optional<CardNumber> card;  // Absent: every card.
};
struct RunningAttempt {
  AttemptId attempt;
  int shim = 0;                      // Its process.
  std::optional<std::uint32_t> uid;  // Of the job's user.
};
// The whole list: who is not in it has ended.
struct JobsOrder {
  std::vector<RunningAttempt> attempts;
  std::string cgroup;  // The daemon's base group in the file system; empty: none.
};
struct QuitOrder {};
struct OtherOrder {
  std::string type;
};
using Order = std::variant<PeriodOrder, SampleNowOrder, JobsOrder, QuitOrder, OtherOrder>;

}  // namespace gpusched::watch
