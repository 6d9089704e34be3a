// Properties of the core under any sequence of events: safety (nothing bad ever), determinism,
// and that decide() is a fixed point.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/explain/explain.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

Ask any_job() {
  Ask job = ask();
  if (*rc::gen::weightedElement<bool>({{3, true}, {1, false}})) {
    const int least = *rc::gen::inRange(1, 4);
    job.gpus(least, least + *rc::gen::inRange(0, 3));
    if (*rc::gen::arbitrary<bool>()) job.vram(*rc::gen::inRange<std::uint64_t>(1, 24));
    if (*rc::gen::inRange(0, 4) == 0) job.share(*rc::gen::inRange(1, 101));
    if (*rc::gen::inRange(0, 8) == 0) job.spec().needs.cpu_use = CpuUse::kPrefer;
  } else {
    job.gpus(0).cpus(*rc::gen::inRange(1, 4));
  }
  job.priority(*rc::gen::inRange(0, 101));
  if (*rc::gen::arbitrary<bool>()) job.time(*rc::gen::inRange(1, 5000));
  if (*rc::gen::inRange(0, 5) == 0) job.array(*rc::gen::inRange(1, 6), *rc::gen::inRange(0, 3));
  if (*rc::gen::inRange(0, 5) == 0) job.group("g");
  if (*rc::gen::inRange(0, 4) == 0) job.retries(*rc::gen::inRange(1, 3));
  return job;
}

std::optional<JobId> any_of(const State& state) {
  if (state.jobs().empty()) return std::nullopt;
  const auto position = *rc::gen::inRange<std::size_t>(0, state.jobs().size());
  return std::next(state.jobs().begin(), static_cast<std::ptrdiff_t>(position))->first;
}

// One random event; returns true if decide() should follow.
void step(State& state, Now now) {
  const Principal root = ourselves();
  const auto job = any_of(state);
  switch (*rc::gen::inRange(0, 10)) {
    case 0:
    case 1:
    case 2:
      any_job().submit(state, now);
      return;
    case 3:
      if (job) any_job().after(number_of(*job)).submit(state, now);
      return;
    case 4:
      if (job) apply(state, CancelAsked{root, {*job}, {}}, now);
      return;
    case 5:
      if (job) apply(state, HoldAsked{root, {*job}}, now);
      return;
    case 6:
      if (job) apply(state, ReleaseAsked{root, {*job}}, now);
      return;
    case 7:
      if (job) apply(state, SetAsked{root, {*job}, priority_patch(*rc::gen::inRange(0, 101))}, now);
      return;
    default:
      if (job && state.find(*job)->active()) {
        if (*rc::gen::arbitrary<bool>()) run(state, number_of(*job), now);
        finish(state, number_of(*job), *rc::gen::inRange(0, 2), now);
      }
  }
}

void check_everything(const State& state, Now now) {
  state.check_invariants();
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    const Grant& grant = *grant_of(job);
    const auto cards = static_cast<int>(grant.cards.size());
    // A gang is whole, or the job runs on CPUs because it may.
    RC_ASSERT(cards >= job.spec->needs.gpus.least || job.spec->needs.cpu_use != CpuUse::kNever);
    RC_ASSERT(cards <= std::max(job.spec->needs.gpus.most, 0));
  }
  RC_ASSERT(state.host_holds().cpus <= state.host().cpus);
  const auto group = state.groups().find("g");
  if (group != state.groups().end()) RC_ASSERT(state.active_in_group("g") <= group->second.limit);
  WaitingReasons reasons(state, now);
  for (const auto& [id, job] : state.jobs()) {
    RC_ASSERT(reasons.of(job).empty() == (job.active() || job.ended()));
  }
}

RC_GTEST_PROP(Core, NothingIsOvercommittedAndEveryWaitingJobAnswersWhy, ()) {
  State state = machine(4, 24, 6);
  apply(state, GroupSetAsked{ourselves(), "g", 2}, at_second(0));
  const int steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) {
    const Now now = at_second(i * 10);
    apply(state, TimePassed{}, now);
    step(state, now);
    start_what_fits(state, now);
    check_everything(state, now);
    // A fixed point: asking again starts nothing more.
    RC_ASSERT(decide(state, now).decisions.empty());
  }
}

RC_GTEST_PROP(Core, ATurnThatIsUndoneLeavesNoTrace, ()) {
  State state = machine(3, 24, 4);
  const int steps = *rc::gen::inRange(1, 30);
  for (int i = 0; i < steps; ++i) {
    const Now now = at_second(i * 10);
    const auto before = state.jobs();
    const auto counts = state.counts().queued;
    const bool fails = *rc::gen::arbitrary<bool>();
    step(state, now);
    start_what_fits(state, now);
    if (!fails) {
      state.keep_changes();
      continue;
    }
    state.roll_back(now);
    state.check_invariants();
    RC_ASSERT(state.jobs().size() == before.size());
    RC_ASSERT(state.counts().queued == counts);
    for (const auto& [id, job] : before) {
      RC_ASSERT(std::string(state_name(job.state)) == state_name(state.find(id)->state));
      RC_ASSERT(job.attempt == state.find(id)->attempt);
    }
  }
}

RC_GTEST_PROP(Core, HigherBandsNeverWaitForLowerOnesOfTheSameShape, ()) {
  State state = machine(1, 24, 4);
  const int jobs = *rc::gen::inRange(2, 12);
  for (int i = 0; i < jobs; ++i)
    ask().priority(*rc::gen::inRange(0, 101)).submit(state, at_second(i));
  int last = 101;
  for (int i = 0; i < jobs; ++i) {
    const auto started = start_what_fits(state, at_second(100 + i));
    RC_ASSERT(started.size() == 1u);
    const int priority = state.find(JobId{started.front()})->priority;
    RC_ASSERT(priority <= last);
    last = priority;
    finish(state, started.front(), 0, at_second(100 + i));
  }
}

}  // namespace
}  // namespace gpusched::testing
