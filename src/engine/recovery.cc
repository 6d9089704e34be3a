// Going on where the last daemon stopped. There is no separate recovery logic: the state is
// loaded, the launcher is asked what became of each attempt, and its reports flow through the
// same events as always.
#include <type_traits>

#include "core/apply/kept_change.h"
#include "core/model/kind.h"
#include "core/preempt/idle_holder.h"
#include "core/state/state.h"
#include "core/state/usage.h"
#include "engine/engine.h"

namespace gpusched {

namespace {

// Stores of older versions do not say what time it was; their jobs do.
std::optional<Wall> last_known_time(const StoreImage& image) {
  std::optional<Wall> last = image.clock;
  if (last) return last;
  for (const Job& job : image.jobs) {
    const auto* ended = std::get_if<Ended>(&job.state);
    const Wall at =
        ended != nullptr ? std::max(job.submitted_at, ended->ended_at) : job.submitted_at;
    if (!last || *last < at) last = at;
  }
  return last;
}

// Boot time starts anew with the machine, so a back-off is counted again from the wall clock.
void count_back_off_again(Job& job, Now now) {
  auto* queued = std::get_if<Queued>(&job.state);
  if (queued == nullptr || !queued->retry_at) return;
  queued->retry_boot = now.boot + std::max(Microseconds{0}, *queued->retry_at - now.wall);
}

// A job may have been put before the one it waits for.
void wake_dependents(State& state, Now now) {
  for (const auto& [id, job] : state.jobs()) {
    if (!job.spec->extras->after.empty() && !job.ended() && !job.active()) state.wake(id, now);
  }
}

}  // namespace

void Engine::recover(StoreImage image, const std::string& boot_id, Now now, bool copied) {
  if (const auto last = last_known_time(image)) clock_watch_.remember(*last, now);
  const bool same_boot = image.boot_id.empty() || image.boot_id == boot_id;
  if (image.boot_id != boot_id) boot_id_to_write_ = boot_id;
  image.for_each([&]<class Row>(std::vector<Row>& rows) {
    if constexpr (!std::is_same_v<Row, Job> && !std::is_same_v<Row, Tenant>) {
      for (Row& row : rows) state_.put(std::move(row));
    }
  });
  for (Job& job : image.jobs) {
    count_back_off_again(job, now);
    state_.put(std::move(job), now);
  }
  // After the jobs: what runs has been used since it was last counted, also without a daemon.
  for (Tenant& tenant : image.tenants) {
    if (!same_boot) {
      tenant.usage = after_reboot(std::move(tenant.usage), now, state_.rules().usage_half_life);
    }
    state_.put(std::move(tenant));
  }
  wake_dependents(state_, now);
  state_.set_next_job(image.next_job);
  state_.set_next_trail_sequence(image.next_trail_sequence);
  state_.doubt_first_messages();
  next_audit_ = image.next_audit;
  alarms_looked_ = image.alarms_looked;
  next_submission_ = image.next_submission;
  state_.keep_changes();
  forget_old_changes(state_, now);
  state_.count_past_work();
  repeat_cancels(image.cancels);
  for (const JobId id : std::set<JobId>(state_.active())) {
    const Job& job = *state_.find(id);
    if (!kind_of(job).has_shim) {
      // Its holder is watched by whoever serves it; only the end of the machine is certain here.
      if (same_boot && !copied) {
        go_on_moving(job, false);
        continue;
      }
      AttemptFinished finished{.attempt = job.current_attempt()};
      finished.cause = copied ? Cause::kSupervisorLost : Cause::kMachineLost;
      finished.message = copied ? kRunsElsewhere : "the machine went down while it was held";
      finished.ended_at = now.wall;
      post(std::move(finished));
      continue;
    }
    if (!same_boot) of_former_boot_.insert(job.current_attempt());
    if (copied) elsewhere_.insert(job.current_attempt());
    site_of(id).launcher.reattach(job.current_attempt());
    const auto* running = std::get_if<Running>(&job.state);
    if (running && running->used)
      state_.seen().uses.add_known(job.current_attempt(), *running->used);
    const StopReason stopping = stopping_of(job);
    // The request to stop may have been lost with the daemon.
    const bool gives_way = stopping == StopReason::kMakeRoom || stopping == StopReason::kPressure;
    if (gives_way && job.spec->saves) {
      run_effect(AskToSave{job.current_attempt()});
    } else if (stopping == StopReason::kLetGo) {
      // One that was aside returns first, and is seen on its cards before it is let go.
      if (running && !running->presence) site_of(id).launcher.let_go(job.current_attempt());
    } else if (stopping != StopReason::kNone) {
      site_of(id).launcher.stop(job.current_attempt(), job.spec->time.grace);
    }
    // A move goes on from where the attempt is found.
    const bool ends = stopping != StopReason::kNone && stopping != StopReason::kLetGo;
    // A store that lost something may name an older boot than that of what it lost.
    if ((same_boot || image.loss) && !copied && !ends) go_on_moving(job, image.loss.has_value());
  }
}

// Before anything is known of how they ended: whatever it was, it was asked for.
void Engine::repeat_cancels(const std::vector<KeptCancel>& cancels) {
  for (const KeptCancel& kept : cancels) {
    const Job* job = state_.find(kept.attempt.job);
    if (job == nullptr || job->ended() || job->attempt != kept.attempt.number) continue;
    post(CancelAsked{ourselves(), {kept.attempt.job}, kept.grace});
  }
}

void Engine::go_on_moving(const Job& job, bool after_loss) {
  const Aside* aside = aside_of(job);
  if (after_loss && std::holds_alternative<Starting>(job.state)) {
    // It may have run since, and been paused. Of those that run reconcile() has thought.
    const bool has_cards = !std::get<Starting>(job.state).grant.cards.empty();
    run_effect(BringBack{job.current_attempt(), has_cards, false});
  }
  if (aside == nullptr) return;
  const bool checkpoint = aside->mechanism == Mechanism::kCheckpoint;
  const bool leaves = aside->phase == AsidePhase::kPausing;
  const bool may_be_back = after_loss && aside->phase == AsidePhase::kPaused;
  if (leaves || may_be_back) {
    run_effect(MoveAside{job.current_attempt(), checkpoint, stays_awake(job)});
  } else if (aside->phase == AsidePhase::kResuming) {
    run_effect(BringBack{job.current_attempt(), checkpoint, stays_awake(job)});
  }
}

}  // namespace gpusched
