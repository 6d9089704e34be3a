// What happened on the cards: stretches of time that are over, kept when the jobs that they tell of
// are gone (docs/adr/0125). What is still under way is no row: jobs, drains and alarms say it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/ids.h"
#include "core/model/job.h"
#include "core/model/message.h"

namespace gpusched {

enum class PastKind : std::uint8_t {
  kRun,      // An attempt of a command was on the card.
  kAside,    // It was away from it: frozen, or in host RAM.
  kLease,    // A lease was on the card.
  kAdopted,  // An adopted process was.
  kDrain,    // The card got nothing new.
  kAlarm,    // An alarm was on.
};
const char* past_kind_name(PastKind kind);
// Of a job, and so on one card.
constexpr bool is_of_job(PastKind kind) { return kind < PastKind::kDrain; }

struct PastSpan {
  PastKind kind = PastKind::kRun;
  std::optional<CardNumber> card = {};  // Absent: a job without cards, an alarm of no card.
  Wall from{}, until{};
  // What became of it then: what the job was from there on. Of a drain who made it.
  std::string state = {};

  // Of jobs.
  AttemptId attempt{};
  Identity owner = {};
  std::string tenant = {};
  Wall submitted_at{};
  int priority = 0;
  std::string cause = {};                        // Of an attempt that failed.
  std::optional<std::uint64_t> vram_bytes = {};  // Held there; absent: nobody knows.
  bool whole = false;
  JobId for_job{};              // Whom it made room for; 0: nobody in particular.
  std::string mechanism = {};   // How.
  std::string shown_name = {};  // To others, where that is another one; see `name`.

  std::string name = {};     // The job's; of a drain the card's UUID; of an alarm its rule.
  std::string subject = {};  // Of an alarm. Its user and tenant are those above.
  Severity severity = Severity::kInfo;
  std::string what = {};  // The alarm, or the reason of the drain.
  friend bool operator==(const PastSpan&, const PastSpan&) = default;
};

// How much of it is kept: what is older goes, and of too many the oldest of who has most.
struct PastBounds {
  Wall since{};
  std::size_t most = 0;
  friend bool operator==(const PastBounds&, const PastBounds&) = default;
};

// A part of it: what lies in a stretch of time at least in part.
struct PastPart {
  Wall from{}, until{};
  std::optional<CardNumber> card = {};
  std::optional<std::uint32_t> uid = {};  // Of this user's jobs alone.
  std::size_t most = 0;                   // Spans of jobs, the newest.
  bool without_cards = false;             // Also of jobs that had none.
};
struct Past {
  std::vector<PastSpan> spans;      // The newest first.
  std::uint64_t left_out = 0;       // Spans of jobs that were too many.
  std::optional<Wall> known_since;  // Before that some are missing. Absent: nothing is known yet.
};

}  // namespace gpusched
