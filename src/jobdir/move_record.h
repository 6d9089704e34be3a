// The record of a move, `move` in the attempt's directory: what was asked, how far it got, what it
// moved. Written by gpusched-mover alone, by rename, so that a result outlives mover, launcher and
// daemon. `begun` is there before the first call that changes something.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/model/move.h"

namespace gpusched {

// Of VRAM on one card, by the name that the driver has for it.
struct CardBytes {
  std::string uuid;
  std::uint64_t bytes = 0;
  friend bool operator==(const CardBytes&, const CardBytes&) = default;
};

struct MoveRecord {
  bool out = true;     // Else back.
  std::string token;   // Of the order; who asked knows its own.
  bool done = false;   // Else it was begun, and its mover is at work or dead.
  bool moved = false;  // The rest of this group means something if it was not.
  MoveLeft left = MoveLeft::kRunning;
  bool never = false;
  std::string error;
  MoveTimes times;
  std::uint64_t copied = 0;  // By the calls that these are the times of. 0: they say nothing.
  bool stopped = false;      // By the mover: it is held before it is woken.

  // One that was moved, in the order in which it was; it keeps that order on the way back.
  struct Process {
    int pid = 0;
    Boot started{};  // A pid that was given to somebody else since has another.
    int thread = 0;  // In which the driver works: all others are held. 0: not known.
    std::vector<CardBytes> cards;
    friend bool operator==(const Process&, const Process&) = default;
  };
  std::vector<Process> processes;
  std::vector<CardBytes> beside;  // What was free on each card beside it, before it left.
  std::string memory_max;         // Of its control group, before it was raised. Empty: it was not.

  std::uint64_t bytes() const;
  std::uint64_t bytes_on(const std::string& uuid) const;
  friend bool operator==(const MoveRecord&, const MoveRecord&) = default;
};

inline constexpr const char* kMoveFile = "move";
// Locked by the mover at work; the next one waits.
inline constexpr const char* kMoveLock = "move.lock";
// The token of the newest order: a mover that comes to its turn and finds another one goes.
inline constexpr const char* kMoveOrder = "move.order";

std::string write_move(const MoveRecord& record);
Result<MoveRecord> parse_move(std::string_view text);
// In an attempt's directory. Nullopt: there is none that can be read.
std::optional<MoveRecord> read_move(int directory);

}  // namespace gpusched
