// Time for the simulated driver. It is outside of src/, where only os/clock.cc reads a clock:
// the two libraries are loaded into other people's programs and link nothing of ours.
#pragma once

#include <time.h>

#include <cstdint>

namespace gpusched::simdriver {

inline std::uint64_t read_us(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000 +
         static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}
inline std::uint64_t wall_us() { return read_us(CLOCK_REALTIME); }
inline std::uint64_t monotonic_us() { return read_us(CLOCK_MONOTONIC); }

// Waits without using the processor; goes on after signals.
inline void pause_us(std::uint64_t us) {
  timespec rest{static_cast<time_t>(us / 1000000), static_cast<long>(us % 1000000) * 1000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) != 0) {
  }
}

}  // namespace gpusched::simdriver
