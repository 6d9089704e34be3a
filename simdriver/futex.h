// Waiting for a number in shared memory to change, across processes.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdint>

#include "simdriver/clock.h"
#include "simdriver/world_layout.h"

namespace gpusched::simdriver {

// Returns when `word` is not `seen` any more, was woken, or the time is over.
inline void futex_wait(SharedU32& word, std::uint32_t seen, std::uint64_t most_us) {
  const timespec most{static_cast<time_t>(most_us / 1000000),
                      static_cast<long>(most_us % 1000000) * 1000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &most, nullptr, 0);
}
// The same without an end.
inline void futex_wait(SharedU32& word, std::uint32_t seen) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}
inline void futex_wake(SharedU32& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace gpusched::simdriver
