// Pause and resume by hand.
#include <algorithm>

#include "core/apply/transitions.h"
#include "core/preempt/idle_holder.h"

namespace gpusched {
namespace {

std::string at_its_limit(const Job& job) {
  return "is stopped at its VRAM limit; raise or lift that: gpusched set " + to_string(job.id) +
         " --vram-limit 0";
}

Victim pause_of(const StateView& state, const Job& job) {
  const std::uint64_t ram = ram_for_moves(state, state.host_holds());
  if (!can_checkpoint(state, job, ram)) return {.job = job.id};
  return {job.id, Mechanism::kCheckpoint, vram_in_use(state, job)};
}

// Why it cannot be paused; empty: it can.
std::string pause_refusal(const StateView& state, const Job& job) {
  const auto* running = std::get_if<Running>(&job.state);
  if (running == nullptr) {
    return std::string("is ") + state_name(job.state) + ", only a running job can be paused";
  }
  if (running->stopping != StopReason::kNone) return "is being stopped";
  if (const Aside* aside = aside_of(job)) {
    if (aside->over_limit_until) return at_its_limit(job);
    if (aside->phase == AsidePhase::kResuming) return "is on its way back; pause it when it runs";
    return aside->by_hand ? "is paused already" : "";
  }
  if (kind_of(job).may_freeze) return {};
  // Its process belongs to its holder: it may leave its cards, but it is not frozen.
  if (std::string stays = why_holder_stays(state, job); !stays.empty()) {
    return "is a lease that cannot be moved: " + stays;
  }
  if (can_checkpoint(state, job, ram_for_moves(state, state.host_holds()))) return {};
  return "is a lease, and what its process has on the cards cannot be moved to host RAM";
}

}  // namespace

Applied apply_pause(State& state, const PauseAsked& asked, Now now) {
  return change_each(state, asked.actor, asked.jobs, [&](Job job, std::vector<Effect>& effects) {
    if (std::string why_not = pause_refusal(state, job); !why_not.empty()) return why_not;
    if (is_aside(job)) {
      // Moved aside for somebody, and now to stay there.
      Aside& aside = change_aside(job);
      aside.by_hand = true;
      if (aside.why == AsideWhy::kStill) aside.why = AsideWhy::kRoom;
      return aside_changed(state, std::move(job), "paused on request: it returns on request", now);
    }
    const Leaving leaving{
        .victim = pause_of(state, job), .by_hand = true, .why = "paused on request"};
    send_aside(state, std::move(job), leaving, effects, now);
    return std::string();
  });
}

Applied apply_resume(State& state, const ResumeAsked& asked, Now now) {
  return change_each(state, asked.actor, asked.jobs, [&](Job job, std::vector<Effect>&) {
    const Aside* aside = aside_of(job);
    if (aside == nullptr || aside->phase == AsidePhase::kResuming) {
      return std::string("is ") + state_name(job.state) + ", not paused";
    }
    if (aside->over_limit_until) return at_its_limit(job);
    if (!aside->by_hand && !is_asleep(state.rules().room, *aside)) {
      return std::string("returns by itself when there is room");
    }
    ask_back(change_aside(job));
    return aside_changed(state, std::move(job), "its return was asked for", now);
  });
}

}  // namespace gpusched
