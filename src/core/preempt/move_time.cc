#include "core/preempt/move_time.h"

#include <algorithm>

namespace gpusched {
namespace {

Microseconds slowest_move(const State& state, const Job& job, std::uint64_t bytes,
                          MoveRate MoveRates::*direction, const MoveRate& usual) {
  Microseconds longest{0};
  for (const CardGrant& held : grant_of(job)->cards) {
    const MoveRates* known = state.rates_of(held.card);
    const bool measured = known != nullptr && (known->*direction).moves > 0;
    longest = std::max(longest, time_at(measured ? known->*direction : usual, bytes));
  }
  return longest;
}

void learn_on_cards(State& state, const Job& job, MoveRate MoveRates::*direction,
                    const MeasuredMove& move) {
  for (const CardGrant& held : grant_of(job)->cards) {
    const auto position = state.index_of(held.card);
    if (!position) continue;
    const MoveRates* known = state.rates_of(held.card);
    MoveRates rates = known != nullptr ? *known : MoveRates{};
    rates.uuid = state.cards()[*position].uuid;
    MoveRate& rate = rates.*direction;
    const MoveRate before = rate;
    rate = learned(rate, move);
    if (rate != before) state.put(std::move(rates));
  }
}

}  // namespace

Microseconds time_out(const State& state, const Job& job, std::uint64_t bytes) {
  return slowest_move(state, job, bytes, &MoveRates::out, usual_rate_out());
}

Microseconds time_back(const State& state, const Job& job, std::uint64_t bytes) {
  return slowest_move(state, job, bytes, &MoveRates::back, usual_rate_back());
}

Wall gone_by(const State& state, const Job& job) {
  const Aside& aside = *aside_of(job);
  return aside.since + time_out(state, job, aside.host_bytes);
}

void learn_move_out(State& state, const Job& job, const MovedAside& report) {
  learn_on_cards(state, job, &MoveRates::out,
                 {report.copied, report.times.checkpoint, report.times.whole});
}

void learn_move_back(State& state, const Job& job, const BroughtBack& report) {
  learn_on_cards(state, job, &MoveRates::back,
                 {report.copied, report.times.restore, report.times.whole});
}

}  // namespace gpusched
