// A machine whose driver moves processes, and the steps of making room on it.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "core/preempt/preempt.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {

using JobNumbers = std::vector<std::uint64_t>;

inline State moving_machine(int cards, std::uint64_t gib_each, Rules rules = {}) {
  State state = machine(cards, gib_each, 32, rules);
  std::vector<Card> list = state.cards();
  for (Card& card : list) card.moves = true;
  state.set_cards(std::move(list));
  return state;
}

// Decides once; what has to be done outside.
inline std::vector<Effect> take_turn(State& state, std::int64_t second) {
  std::vector<Effect> effects;
  for (const Decision& decision : decide(state, at_second(second)).decisions) {
    for (Effect& effect : accept_and_look(state, decision, at_second(second)).effects) {
      effects.push_back(effect);
    }
  }
  state.check_invariants();
  return effects;
}

template <class Wanted>
JobNumbers who(const std::vector<Effect>& effects) {
  JobNumbers jobs;
  for (const Effect& effect : effects) {
    if (const auto* wanted = std::get_if<Wanted>(&effect)) {
      jobs.push_back(number_of(wanted->attempt.job));
    }
  }
  std::ranges::sort(jobs);
  return jobs;
}

inline void starts_and_runs(State& state, std::uint64_t job, std::int64_t second) {
  take_turn(state, second);
  run(state, job, at_second(second));
  ASSERT_EQ(state_of(state, job), "running");
}
inline void has_moved(State& state, std::uint64_t job, std::uint64_t gib, std::int64_t second) {
  apply(state, MovedAside{state.find(JobId{job})->current_attempt(), {}, gib * kGiB},
        at_second(second));
}
inline void is_back(State& state, std::uint64_t job, std::int64_t second) {
  apply(state, BroughtBack{state.find(JobId{job})->current_attempt(), {}}, at_second(second));
}

}  // namespace gpusched::testing
