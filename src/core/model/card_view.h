// What was last seen of a card: the live half of admission. Never stored: after a restart it is
// seen anew. Absent is unknown, never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/card_health.h"
#include "core/model/ids.h"

namespace gpusched {

// A process on a card, ours or foreign.
struct SeenProcess {
  int pid = 0;
  std::optional<std::uint64_t> vram_bytes;
  std::optional<double> load_percent;  // Its use of the card (foreign_loads.h).
  std::optional<AttemptId> attempt;    // Absent: a foreign process.
  std::optional<Boot> started;         // With its number it says who it is.
  bool server = false;                 // Works for others, who are listed beside it (MPS).
  // Belongs to the desktop: its load does not count. Worked out from look to look, like
  // `idle_since` (idle_processes.h).
  bool ignored = false;
  // For people.
  std::string user;
  std::string command;
  std::optional<Wall> since;
  std::optional<Wall> idle_since;  // Holds memory without using the card since then.
};

enum class CardCondition : std::uint8_t {
  kUnseen,   // Nobody looks at cards here (the simulator): declared needs are all there is.
  kOk,       // The last look brought what follows.
  kUnknown,  // It does not answer: nothing new starts there, what runs goes on.
  kAsleep,   // Switched off to save power; it has no user. Starting something wakes it.
  kGone,     // Fell off the bus.
};

struct CardView {
  CardCondition condition = CardCondition::kUnseen;
  std::string reason;  // Of kUnknown and kGone, one sentence.
  Now at;
  // Of kUnknown, from look to look: when it was so first. The state fills it in.
  std::optional<Boot> silent_since = {};
  std::optional<std::uint64_t> used_bytes;  // By the driver's own count, without its reserve.
  // Of the whole card, for where the driver tells no load per process; else absent.
  std::optional<double> busy_percent = {};
  std::optional<double> sm_active_percent;
  std::optional<double> energy_joules;  // A counter.
  CardVitals vitals;
  std::vector<SeenProcess> processes;

  // Nothing stands against starting something there.
  bool answers() const {
    return condition == CardCondition::kUnseen || condition == CardCondition::kOk ||
           condition == CardCondition::kAsleep;
  }
};

// What is taken of a card beyond what jobs were given: by foreign processes, by nobody that the
// driver lists, and by jobs that took more than they asked for.
struct UngrantedUse {
  std::uint64_t vram_bytes = 0;
  int load_percent = 0;  // Of foreign processes.
  // What jobs use of the compute, less what they were given: below zero where they use less.
  int jobs_load_percent = 0;
  // A job has more memory than it was given, and takes more still: nobody knows where that ends.
  bool growing = false;
};

}  // namespace gpusched
