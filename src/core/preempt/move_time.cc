#include "core/preempt/move_time.h"

#include <algorithm>

namespace gpusched {
namespace {

Microseconds slowest_move(const StateView& state, const Job& job, std::uint64_t bytes,
                          MoveRate MoveRates::*direction, const MoveRate& usual) {
  Microseconds longest{0};
  for (const CardGrant& held : grant_of(job)->cards) {
    const MoveRates* known = state.rates_of(held.card);
    const bool measured = known != nullptr && (known->*direction).moves > 0;
    longest = std::max(longest, time_at(measured ? known->*direction : usual, bytes));
  }
  return longest;
}

}  // namespace

Microseconds time_out(const StateView& state, const Job& job, std::uint64_t bytes) {
  return slowest_move(state, job, bytes, &MoveRates::out, usual_rate_out());
}

Microseconds time_back(const StateView& state, const Job& job, std::uint64_t bytes) {
  return slowest_move(state, job, bytes, &MoveRates::back, usual_rate_back());
}

Wall gone_by(const StateView& state, const Job& job) {
  const Aside& aside = *aside_of(job);
  return aside.since + time_out(state, job, aside.host_bytes);
}

}  // namespace gpusched
