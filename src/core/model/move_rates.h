// How fast the memory of a card goes to host RAM and returns, as its own moves have shown. What
// a move takes whatever its size is kept apart from what each byte takes.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace gpusched {

// One direction.
struct MoveRate {
  std::uint64_t bytes_per_s = 0;  // While the driver copies.
  Microseconds fixed{0};          // What a move takes besides.
  std::uint64_t moves = 0;        // That were measured; 0: none, and the rest says nothing.
  friend bool operator==(const MoveRate&, const MoveRate&) = default;
};

struct MoveRates {
  std::string uuid;  // Of the card.
  MoveRate out = {};
  MoveRate back = {};
  friend bool operator==(const MoveRates&, const MoveRates&) = default;
};

// One more move was seen. Changes nothing where too little was moved to say something.
struct MeasuredMove {
  std::uint64_t bytes = 0;
  Microseconds copying{0};  // In the driver's call that copies.
  Microseconds whole{0};    // From the order to the answer.
};
MoveRate learned(MoveRate rate, const MeasuredMove& move);

// Until a card was measured: what a driver was seen to do on an H200.
MoveRate usual_rate_out();
MoveRate usual_rate_back();
// Nothing to move takes no time.
Microseconds time_at(const MoveRate& rate, std::uint64_t bytes);

}  // namespace gpusched
