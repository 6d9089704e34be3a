// A running attempt that is moved aside: where it stands between its cards and host RAM.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "core/model/ids.h"
#include "core/model/move.h"

namespace gpusched {

enum class AsidePhase : std::uint8_t {
  kHere,      // On its cards; it was away before.
  kPausing,   // On its way out; it holds all that it was given.
  kPaused,    // Away.
  kResuming,  // On its way back; it holds all that it was given again.
};

struct Aside {
  AsidePhase phase = AsidePhase::kPausing;
  Mechanism mechanism = Mechanism::kFreeze;  // kFreeze or kCheckpoint.
  bool by_hand = false;                      // Somebody paused it: it returns on request only.
  bool idle = false;     // It went because it did not use its cards (core/preempt/idle_holder.h).
  bool wanted = false;   // Of such a one: it was asked for, or its process became active again.
  bool ends = false;     // Of a lease: it was given up meanwhile, and ends when it is back.
  bool refused = false;  // Of a lease: the driver does not move its process.
  // Stopped for a moment while another one leaves its card (core/preempt/pressure.h). It keeps all
  // that it was given. Of one that is here: its last time away was such a moment.
  bool still = false;
  bool pressed = false;  // It left a card under pressure, whose other jobs may go on growing.
  JobId for_job{};       // For whom it went; 0: for nobody in particular.
  Wall tried{};          // When the last move failed.
  Wall since{};          // When it began to go; of one that is here, when it was back.
  Microseconds away{0};  // All earlier times together.
  std::uint64_t host_bytes = 0;  // What it has, or will have, in host RAM.
  // Stopped at its VRAM limit: then it is ended, unless the limit is raised. Zero: it is not.
  Wall over_limit_until{};
  std::string problem = {};  // Why the last move failed; empty: it did not.
  bool over_limit() const { return over_limit_until != Wall{}; }
  friend bool operator==(const Aside&, const Aside&) = default;
};

}  // namespace gpusched
