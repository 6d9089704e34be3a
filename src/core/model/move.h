// Moving a job aside: what is done to it, how long each step took, where it is left when a step
// fails. Values only; the mechanisms are at the edge (process/, mover/).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "core/model/ids.h"

namespace gpusched {

enum class Mechanism : std::uint8_t {
  kFreeze,       // Stops computing, keeps its VRAM.
  kCooperative,  // Saves itself and ends; its next attempt goes on from there.
  kCheckpoint,   // Its VRAM goes to host RAM through the driver.
  kRequeue,      // Is ended and begins again.
};
const char* mechanism_name(Mechanism mechanism);
std::optional<Mechanism> mechanism_named(const std::string& name);

// What the driver's calls took, for all processes of the job. Zero: not called.
struct MoveTimes {
  Microseconds lock{0};
  Microseconds checkpoint{0};
  Microseconds restore{0};
  Microseconds unlock{0};
  Microseconds whole{0};  // From the order to the answer.
  friend bool operator==(const MoveTimes&, const MoveTimes&) = default;
};

// Where an attempt is after a move that did not succeed.
enum class MoveLeft : std::uint8_t {
  kRunning,  // On its cards, unharmed.
  kAside,    // Away from them still: there was no room.
  kLost,     // It cannot go on and has to be ended.
};

// --- What the edge reports ---------------------------------------------------------------------
// It holds now.
struct MovedAside {
  AttemptId attempt{};
  MoveTimes times = {};
  std::uint64_t bytes = 0;  // That left the cards for host RAM; 0 for a freeze.
  // That the calls of these times have copied: what a card learns from. 0: nobody can say, as one
  // of its processes ended meanwhile, or another mover had begun it.
  std::uint64_t copied = 0;
};
struct BroughtBack {
  AttemptId attempt{};
  MoveTimes times = {};
  std::uint64_t copied = 0;
};
// It does not. What was begun has been undone as far as that can be.
struct MoveFailed {
  AttemptId attempt{};
  MoveLeft left = MoveLeft::kRunning;
  bool never = false;      // The driver will not do it for this program: not worth another try.
  std::string error = {};  // One sentence.
};

}  // namespace gpusched
