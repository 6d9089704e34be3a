// Making room under whatever happens.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "core/preempt/preempt.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

// Those that start, or for which room is made, in the order of the decisions.
std::vector<JobId> served_by(const std::vector<Decision>& decisions) {
  std::vector<JobId> served;
  for (const Decision& decision : decisions) {
    if (const auto* start = std::get_if<Start>(&decision)) served.push_back(start->job);
    if (const auto* room = std::get_if<Preempt>(&decision)) served.push_back(room->for_job);
  }
  return served;
}

// What would be decided if those decisions were taken, and all that leaves were gone.
std::vector<Decision> decided_after(const State& before, const std::vector<Decision>& decisions,
                                    std::int64_t second) {
  State state = before;
  for (const Decision& decision : decisions) accept(state, decision, at_second(second));
  for (const JobId id : std::set<JobId>(state.active())) {
    const Job& other = *state.find(id);
    if (aside_phase(other) == AsidePhase::kPausing) {
      const std::uint64_t bytes = aside_of(other)->host_bytes;
      apply(state, MovedAside{other.current_attempt(), {}, bytes}, at_second(second));
      continue;
    }
    const auto* running = std::get_if<Running>(&other.state);
    if (running == nullptr || running->stopping == StopReason::kNone) continue;
    AttemptFinished ended{.attempt = other.current_attempt(), .cause = Cause::kSignal};
    ended.signal = 15;
    ended.ended_at = at_second(second).wall;
    apply(state, ended, at_second(second));
  }
  return decide(state, at_second(second)).decisions;
}

bool starts_after(const State& before, const std::vector<Decision>& decisions, JobId job,
                  std::int64_t second) {
  return std::ranges::any_of(decided_after(before, decisions, second), [&](const Decision& one) {
    const auto* start = std::get_if<Start>(&one);
    return start != nullptr && start->job == job;
  });
}

// The job starts, or one that is more important finds a use for what is free then.
bool serves_after(const State& before, const std::vector<Decision>& decisions, JobId job,
                  std::int64_t second) {
  const int priority = before.find(job)->priority;
  const auto served = served_by(decided_after(before, decisions, second));
  return std::ranges::any_of(served, [&](JobId id) {
    return id == job || (id != JobId{} && before.find(id)->priority > priority);
  });
}

std::vector<Decision> without_rooms_after(const std::vector<Decision>& decisions,
                                          std::size_t last) {
  std::vector<Decision> kept;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (i <= last || !std::holds_alternative<Preempt>(decisions[i])) kept.push_back(decisions[i]);
  }
  return kept;
}

// Nobody is moved for nothing: with all that leave the job is served, and without any one of its
// victims it does not. The plans of jobs after it are left out then: they are made with the first
// plan in mind, and what they free is theirs.
void check_plans(const State& state, const std::vector<Decision>& decisions, std::int64_t second) {
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const auto* room = std::get_if<Preempt>(&decisions[i]);
    if (room == nullptr || !state.pending().contains(room->for_job)) continue;
    RC_ASSERT(serves_after(state, decisions, room->for_job, second));
    for (std::size_t spared = 0; spared < room->victims.size(); ++spared) {
      std::vector<Decision> fewer = without_rooms_after(decisions, i);
      auto& victims = std::get<Preempt>(fewer[i]).victims;
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(spared));
      if (victims.empty()) fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      RC_ASSERT(!starts_after(state, fewer, room->for_job, second));
    }
  }
}

// Whatever is submitted, moved, and fails: never more on a card than it has, no victim of an equal
// or higher band, bounded moves, and in the end everybody has run.
RC_GTEST_PROP(PreemptProperty, EverybodyReturnsAndNobodyIsMovedForNothing, ()) {
  const int cards = *rc::gen::inRange(1, 4);
  Rules rules;
  rules.room.moves_most = *rc::gen::inRange(0, 4);
  State state = machine(cards, 24, 32, rules);
  std::vector<Card> list = state.cards();
  for (Card& card : list) card.moves = true;
  state.set_cards(std::move(list));
  const HostCapacity host{
      .cpus = 32, .ram_bytes = static_cast<std::uint64_t>(*rc::gen::inRange(8, 100)) * kGiB};
  state.set_host(host);
  std::int64_t second = 0;
  const int jobs = *rc::gen::inRange(1, 15);
  int submitted = 0;
  const auto do_turn = [&] {
    const std::vector<Decision> decisions = decide(state, at_second(second)).decisions;
    check_plans(state, decisions, second);
    for (const Decision& decision : decisions) {
      if (const auto* room = std::get_if<Preempt>(&decision)) {
        for (const Victim& victim : room->victims) {
          RC_ASSERT(band_rank(state.find(victim.job)->priority) >
                    band_rank(state.find(room->for_job)->priority));
        }
      }
      accept(state, decision, at_second(second));
    }
    state.check_invariants();
    for (std::size_t i = 0; i < state.cards().size(); ++i) {
      RC_ASSERT(state.holds_on(i).vram_bytes <= state.cards()[i].capacity_bytes());
    }
    RC_ASSERT(state.host_holds().ram_bytes <= host.ram_bytes);
    for (const auto& [id, job] : state.jobs()) RC_ASSERT(job.moves <= rules.room.moves_most);
  };
  const auto answer_moves = [&](bool may_fail) {
    const std::set<JobId> aside = state.aside();
    for (const JobId id : aside) {
      const Job& job = *state.find(id);
      const AttemptId attempt = job.current_attempt();
      const int luck = may_fail ? *rc::gen::inRange(0, 6) : 5;
      if (aside_phase(job) == AsidePhase::kPausing) {
        if (luck == 0) {
          apply(state, MoveFailed{.attempt = attempt}, at_second(second));
        } else if (luck > 1) {
          apply(state, MovedAside{attempt, {}, aside_of(job)->host_bytes}, at_second(second));
        }
      } else if (aside_phase(job) == AsidePhase::kResuming) {
        if (luck == 0) {
          apply(state, MoveFailed{.attempt = attempt, .left = MoveLeft::kAside, .error = "room"},
                at_second(second));
        } else if (luck > 1) {
          apply(state, BroughtBack{attempt, {}}, at_second(second));
        }
      }
    }
  };
  const auto end_one = [&] {
    for (const JobId id : std::set<JobId>(state.active())) {
      if (is_aside(*state.find(id))) continue;
      run(state, number_of(id), at_second(second));
      if (*rc::gen::inRange(0, 3) == 0) {
        finish(state, number_of(id), 0, at_second(second));
        return;
      }
    }
  };
  for (int step = 0; step < 40; ++step) {
    second += *rc::gen::inRange(0, 100);
    if (submitted < jobs && *rc::gen::inRange(0, 2) == 0) {
      Ask one = ask();
      one.spec().restartable = *rc::gen::inRange(0, 4) == 0;
      const int vram = *rc::gen::inRange(0, 24);
      if (vram > 0) one.vram(static_cast<std::uint64_t>(vram)).share(*rc::gen::inRange(1, 90));
      one.gpus(*rc::gen::inRange(1, cards + 1)).priority(*rc::gen::inRange(0, 100));
      one.submit(state, at_second(second));
      ++submitted;
    }
    do_turn();
    answer_moves(true);
    end_one();
  }
  for (int step = 0; step < 400 && state.counts().completed < state.jobs().size(); ++step) {
    second += 30;
    do_turn();
    answer_moves(false);
    for (const JobId id : std::set<JobId>(state.active())) {
      const Job& job = *state.find(id);
      if (is_aside(job)) continue;
      run(state, number_of(id), at_second(second));
      finish(state, number_of(id), 0, at_second(second));
    }
  }
  for (const auto& [id, job] : state.jobs()) RC_ASSERT(job.ended());
}

}  // namespace
}  // namespace gpusched::testing
