#include "simdriver/card_model.h"

#include <algorithm>

#include "simdriver/clock.h"

namespace gpusched::simdriver {
namespace {

constexpr std::uint64_t kReasonIdle = 1;
constexpr std::uint64_t kReasonPowerCap = 4;
constexpr std::uint64_t kReasonThermal = 0x40;

std::uint32_t chosen(const SharedI32& by_hand, std::uint32_t by_model) {
  const std::int32_t set = by_hand.load();
  return set == kAutomatic ? by_model : static_cast<std::uint32_t>(set);
}

std::uint32_t between(std::uint32_t low, std::uint32_t high, std::uint32_t percent) {
  return low + (high - low) * percent / 100;
}

// Adds what was used since somebody last looked. Of two who look at once, one adds.
std::uint64_t count_energy(CardState& state, std::uint32_t power_mw) {
  const std::uint64_t now = monotonic_us();
  std::uint64_t last = state.energy_stamp_us.load();
  const bool usable = last != 0 && last <= now;  // Not from before a reboot.
  if (state.energy_stamp_us.compare_exchange_strong(last, now) && usable) {
    state.energy_mj.fetch_add((now - last) * power_mw / 1000000);
  }
  return state.energy_mj.load();
}

}  // namespace

CardReading read_card(const World& world, std::size_t card) {
  const CardFacts& facts = world.data().facts[card];
  CardState& state = world.data().states[card];
  CardReading reading;
  reading.use = look_at_card(world, card);
  const std::uint32_t busy = (reading.use.busy_permille() + 5) / 10;
  reading.busy_percent = chosen(state.busy_percent, busy);
  reading.memory_busy_percent =
      chosen(state.memory_busy_percent, memory_busy_of(reading.busy_percent));

  const auto limit_mw = static_cast<std::uint32_t>(state.power_limit_mw.load());
  const std::uint32_t unlimited = between(facts.idle_mw, facts.limit_mw, reading.busy_percent);
  reading.power_mw = chosen(state.power_mw, std::min(unlimited, limit_mw));
  reading.temperature_c = chosen(state.temperature_c,
                                 between(facts.ambient_c, facts.full_load_c, reading.busy_percent));
  reading.memory_temperature_c = reading.temperature_c + 8;
  reading.fan_percent = between(30, 100, std::min(reading.busy_percent, 100U));

  const bool idle = reading.busy_percent == 0;
  const bool hot = reading.temperature_c >= facts.slowdown_c;
  const bool capped = unlimited > limit_mw;
  reading.core_clock_mhz = idle ? facts.idle_clock_mhz : facts.core_clock_mhz;
  if (hot) reading.core_clock_mhz = std::max(facts.idle_clock_mhz, facts.core_clock_mhz / 2);
  reading.memory_clock_mhz = facts.memory_clock_mhz;
  reading.clock_reasons = state.clock_reasons.load() | (idle ? kReasonIdle : 0) |
                          (hot ? kReasonThermal : 0) | (capped ? kReasonPowerCap : 0);
  reading.performance_state = idle ? 8 : 0;
  reading.energy_mj = count_energy(state, reading.power_mw);
  return reading;
}

}  // namespace gpusched::simdriver
