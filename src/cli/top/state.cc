#include "cli/top/state.h"

#include <utility>

namespace gpusched::cli::top {

void take_cards(State& state, GpusView gpus) {
  for (const CardView& card : gpus.cards) {
    LoadHistory& history = state.load[card.number];
    const SampleView* seen = card.seen();
    history.push_back(seen == nullptr ? std::nullopt : seen->busy_percent);
    if (history.size() > kHistoryMost) history.pop_front();
  }
  state.gpus = std::move(gpus);
  state.known = true;
}

void take_jobs(State& state, OverviewView jobs) {
  state.jobs = std::move(jobs);
  state.known = true;
}

const JobView* find_job(const State& state, std::uint64_t id) {
  for (const auto* list : {&state.jobs.running, &state.jobs.waiting}) {
    for (const JobView& job : *list) {
      if (job.id == id) return &job;
    }
  }
  return nullptr;
}

const SweepView* find_sweep(const State& state, std::uint64_t id) {
  for (const SweepView& sweep : state.jobs.sweeps) {
    if (sweep.id == id) return &sweep;
  }
  return nullptr;
}

}  // namespace gpusched::cli::top
