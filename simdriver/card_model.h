// From use to what instruments show: power, heat, clocks, energy. Simple on purpose: linear in
// how busy the card is, at once. A value that was set by hand wins over the model.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simdriver/card_use.h"

namespace gpusched::simdriver {

struct CardReading {
  CardUse use;
  std::uint32_t busy_percent = 0, memory_busy_percent = 0;
  std::uint32_t power_mw = 0, temperature_c = 0, memory_temperature_c = 0, fan_percent = 0;
  std::uint32_t core_clock_mhz = 0, memory_clock_mhz = 0;
  std::uint64_t clock_reasons = 0;
  std::uint64_t energy_mj = 0;
  std::uint32_t performance_state = 0;
};

CardReading read_card(const World& world, std::size_t card);

// Memory traffic that goes with this much computing.
inline std::uint32_t memory_busy_of(std::uint32_t busy) { return busy * 6 / 10; }

}  // namespace gpusched::simdriver
