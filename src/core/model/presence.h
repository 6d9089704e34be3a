// Where a running attempt stands: on its cards, or aside, which is between its cards and host RAM.
// Each has its own fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/time.h"
#include "core/model/ids.h"
#include "core/model/move.h"

namespace gpusched {

// On its cards again.
struct OnCards {
  Wall since{};              // When it was back.
  bool stood_still = false;  // Its last time away was a moment of AsideWhy::kStill.
  friend bool operator==(const OnCards&, const OnCards&) = default;
};

enum class AsidePhase : std::uint8_t {
  kPausing,   // On its way out; it holds all that it was given.
  kPaused,    // Away.
  kResuming,  // On its way back; it holds all that it was given again.
};

// Why it went, and with that what it waits for besides room.
enum class AsideWhy : std::uint8_t {
  kRoom,      // Others needed its place, or somebody paused it.
  kIdle,      // It did not use its cards (core/preempt/idle_holder.h).
  kPressure,  // Its card was under pressure, and the other jobs there may go on growing.
  // Stopped for a moment while another one leaves its card (core/preempt/pressure.h). It keeps all
  // that it was given.
  kStill,
};

// All of it is there on the way out and on the way back, too: a return that fails ends where it
// began.
struct Aside {
  AsidePhase phase = AsidePhase::kPausing;
  Mechanism mechanism = Mechanism::kFreeze;  // kFreeze or kCheckpoint.
  AsideWhy why = AsideWhy::kRoom;
  bool by_hand = false;  // Somebody paused it: it returns on request only.
  bool wanted = false;   // Of an idle one: it was asked for, or its process became active again.
  bool ends = false;     // Of a lease: it was given up meanwhile, and ends when it is back.
  JobId for_job{};       // For whom it went; 0: for nobody in particular.
  Wall since{};          // When it began to go.
  std::uint64_t host_bytes = 0;  // What it has, or will have, in host RAM.
  // Stopped at its VRAM limit: it is ended then, unless the limit is raised.
  std::optional<Wall> over_limit_until = {};
  friend bool operator==(const Aside&, const Aside&) = default;
};

struct FailedMove {
  Wall at{};
  std::string error;
  friend bool operator==(const FailedMove&, const FailedMove&) = default;
};

struct Presence {
  std::variant<OnCards, Aside> place;
  Microseconds away{0};                   // All earlier times aside together.
  bool refused = false;                   // Of a lease: the driver does not move its process.
  std::optional<FailedMove> failed = {};  // The last move, if it failed.

  // Null: it is aside.
  const OnCards* back() const { return std::get_if<OnCards>(&place); }
  // Null: it is on its cards.
  const Aside* aside() const { return std::get_if<Aside>(&place); }
  friend bool operator==(const Presence&, const Presence&) = default;
};

}  // namespace gpusched
