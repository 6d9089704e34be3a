// Injected faults, as a call of the simulated driver meets them.
#pragma once

#include <cstdint>
#include <string>

#include "simdriver/world.h"

namespace gpusched::simdriver {

inline constexpr std::int32_t kNoCard = -1;

// What a call has to return because of a fault, 0 to go on. Hangs and delays happen in here; a
// hang ends when the fault is cleared.
int meet_faults(const World& world, const char* function, std::int32_t card);

// Only what it has to return, without hang and delay: for calls that find a card and do not ask it.
int forced_answer(const World& world, const char* function, std::int32_t card);

// True: this function does not exist in the driver of this world.
bool is_missing(const World& world, const char* function);

// REQUIRES: a ChangeLock. False: there is no room for another one.
struct FaultOrder {
  FaultKind kind = FaultKind::kNone;
  std::int32_t card = kNoCard;
  std::int32_t value = 0;
  std::string function = "all";
};
bool add_fault(const World& world, const FaultOrder& order);
// Of this card and, for kNoCard, those of no card in particular.
void clear_faults(const World& world, std::int32_t card);

}  // namespace gpusched::simdriver
