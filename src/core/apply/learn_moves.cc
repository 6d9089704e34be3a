#include "core/apply/learn_moves.h"

namespace gpusched {
namespace {

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

void learn_move_out(State& state, const Job& job, const MovedAside& report) {
  learn_on_cards(state, job, &MoveRates::out,
                 {report.copied, report.times.checkpoint, report.times.whole});
}

void learn_move_back(State& state, const Job& job, const BroughtBack& report) {
  learn_on_cards(state, job, &MoveRates::back,
                 {report.copied, report.times.restore, report.times.whole});
}

}  // namespace gpusched
