// From what happens to a card to what follows from it: a table, and nothing else.
#pragma once

#include <cstdint>
#include <string>

namespace gpusched {

enum class TroubleKind : std::uint8_t {
  kXid,        // The driver reports an error by its number.
  kEccDouble,  // A memory error that could not be corrected.
  kGone,       // Fell off the bus.
  kUnavailable,
};

enum class Consequence : std::uint8_t {
  kKeep,   // The job's own fault, or nothing to worry about.
  kWarn,   // Worth a line in the log.
  kDrain,  // Nothing new starts there.
};

// What ends a drain.
enum class DrainEnd : std::uint8_t {
  kByHand,
  kSeen,    // Being seen in order again.
  kCooler,  // Being well below its limit of heat.
};

struct Verdict {
  Consequence consequence = Consequence::kKeep;
  bool jobs_lost = false;  // What runs there cannot go on.
  DrainEnd ends = DrainEnd::kByHand;
  std::string what;    // "XID 79, the card fell off the bus".
  std::string advice;  // "reset the card", "reboot", or empty.
};
Verdict judge(TroubleKind kind, std::uint64_t number);

}  // namespace gpusched
