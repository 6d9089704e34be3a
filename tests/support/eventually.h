// Waiting for a condition in tests without a loop of their own.
#pragma once

#include <poll.h>

#include <chrono>

namespace gpusched::testing {

// False: it did not come true in time. For conditions that nothing wakes us for.
template <class Condition>
bool eventually(const Condition& condition,
                std::chrono::seconds patience = std::chrono::seconds(30)) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::poll(nullptr, 0, 2);
  }
  return true;
}

}  // namespace gpusched::testing
