// What is missing on a card for one more job: the answer of admission where it is not "yes". A
// value, so that who explains says what the one who decides has found.
#pragma once

#include <cstdint>

#include "core/model/ids.h"

namespace gpusched {

enum class Lack : std::uint8_t {
  kNothing,      // It fits.
  kUnusable,     // The card does not answer, is drained or not ours to give.
  kSize,         // The card is too small.
  kVram,         // Memory.
  kCompute,      // Jobs have too much of its compute.
  kForeignLoad,  // Foreign processes do.
  kTaken,        // One job has the card to itself.
  kEmptiness,    // The job wants it to itself, and others are there.
  kSharing,      // The card is not shared.
  kJobsMost,     // It has as many jobs as it may.
  kGrowth,       // A job there takes more than it was given, and more still.
};
// For programs: "vram", "compute".
const char* lack_name(Lack lack);

struct CardLack {
  CardNumber card{};
  Lack what = Lack::kNothing;
  std::uint64_t left = 0;   // Bytes or percent that are left; of kJobsMost how many there may be.
  int foreign_percent = 0;  // What foreign processes use of its compute, where that counts.
  friend bool operator==(const CardLack&, const CardLack&) = default;
};

}  // namespace gpusched
