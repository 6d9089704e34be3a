// Hold and release waiting jobs.
#include "core/apply/transitions.h"

namespace gpusched {

Applied apply_hold(State& state, const HoldAsked& asked, Now now) {
  return change_each(state, asked.actor, asked.jobs, [&](Job job, std::vector<Effect>&) {
    if (!std::holds_alternative<Queued>(job.state)) {
      return std::string("is ") + state_name(job.state) + ", only a queued job can be held";
    }
    job.state = Held{HoldReason::kUser};
    state.note(job, "held", "held on request", now);
    state.put(std::move(job), now);
    return std::string();
  });
}

Applied apply_release(State& state, const ReleaseAsked& asked, Now now) {
  const auto held = [](const Job& job) { return std::holds_alternative<Held>(job.state); };
  if (auto refusal = refuse_again(state, asked.actor, asked.jobs, held)) {
    return refused(std::move(*refusal));
  }
  return change_each(state, asked.actor, asked.jobs, [&](Job job, std::vector<Effect>&) {
    if (!std::holds_alternative<Held>(job.state)) {
      return std::string("is ") + state_name(job.state) + ", not held";
    }
    if (job.task) state.guard_array(job.task->array, false);
    job.state = Queued{};
    state.note(job, "released", "released on request", now);
    state.put(std::move(job), now);
    return std::string();
  });
}

}  // namespace gpusched
