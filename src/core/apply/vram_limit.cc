// `--vram-limit`: what a job may take on each of its cards, kept by looking. One look may catch a
// moment, so it takes two in a row; nobody else on the card is touched. Who is above it is stopped
// first, so that it cannot grow while its owner raises the limit, and ended after a while.
#include <map>

#include "base/text.h"
#include "base/words.h"
#include "core/apply/transitions.h"
#include "core/preempt/pressure.h"

namespace gpusched {
namespace {

std::map<AttemptId, std::uint64_t> taken_by(const CardView& view) {
  std::map<AttemptId, std::uint64_t> taken;
  if (view.condition != CardCondition::kOk) return taken;
  for (const SeenProcess& process : view.processes) {
    if (process.attempt) taken[*process.attempt] += process.vram_bytes.value_or(0);
  }
  return taken;
}

// By the last look at its cards, apart from one of them.
bool is_over_limit(const StateView& state, const Job& job, std::optional<CardNumber> but) {
  const std::uint64_t limit = job.spec->extras->vram_limit_bytes;
  if (limit == 0) return false;
  for (const CardGrant& held : grant_of(job)->cards) {
    const CardUse* use = state.seen().uses.on_card(job.current_attempt(), held.card);
    if (held.card != but && use != nullptr && use->vram_bytes > limit) return true;
  }
  return false;
}

bool is_stopped_at_limit(const Job& job) {
  const Aside* aside = aside_of(job);
  return aside != nullptr && aside->over_limit_until;
}

void end_for_limit(State& state, Job job, const std::string& why, Now now, Applied& applied) {
  stopping_in(job) = StopReason::kVramLimit;
  state.note(job, "vram_limit", why + "; the attempt is ended", now);
  applied.effects.emplace_back(StopAttempt{job.current_attempt(), job.spec->time.grace});
  state.put(std::move(job), now);
}

// It keeps what it has and gets no further.
void stop_at_limit(State& state, Job job, const std::string& why, Now now, Applied& applied) {
  const Seconds pause = state.rules().vram_limit_pause;
  set_aside(job, {.since = now.wall, .over_limit_until = now.wall + pause});
  state.note(job, "vram_limit",
             why + "; it is stopped, and ended in " + format_duration(pause) +
                 " unless the limit is raised",
             now);
  applied.effects.emplace_back(MoveAside{job.current_attempt(), false});
  state.put(std::move(job), now);
}

void resume_below_limit(State& state, Job& job, const std::string& why, Now now) {
  change_aside(job).over_limit_until.reset();
  state.note(job, "vram_limit", why + ": it goes on when there is room", now);
}

void warn_once(State& state, const Job& job, CardNumber card, std::uint64_t bytes, Now now) {
  const std::uint64_t need = job.spec->needs.vram_bytes;
  const CardUse* use = state.seen().uses.on_card(job.current_attempt(), card);
  const bool first_time = use == nullptr || use->peak_vram_bytes <= need;
  if (need == 0 || bytes <= need || !first_time) return;
  state.note(job, "vram",
             "takes " + mib_text(bytes) + " on card " + std::to_string(number_of(card)) +
                 ", more than the " + mib_text(need) + " it asked for; its limit is " +
                 mib_text(job.spec->extras->vram_limit_bytes),
             now);
}

}  // namespace

void enforce_vram_limits(State& state, CardNumber card, const CardView& before,
                         const CardView& after, Now now, Applied& applied) {
  const auto earlier = taken_by(before);
  const bool pressure = under_pressure(state, *state.index_of(card), after);
  for (const auto& [attempt, bytes] : taken_by(after)) {
    const Job* found = state.find(attempt.job);
    if (found == nullptr || !found->active() || found->current_attempt() != attempt) continue;
    const std::uint64_t limit = found->spec->extras->vram_limit_bytes;
    if (limit == 0 || !kind_of(*found).has_shim || stopping_of(*found) != StopReason::kNone)
      continue;
    warn_once(state, *found, card, bytes, now);
    const bool stopped = is_stopped_at_limit(*found);
    if (bytes <= limit) {
      if (!stopped || is_over_limit(state, *found, card)) continue;
      Job job = *found;
      resume_below_limit(state, job, "is within its limit again", now);
      state.put(std::move(job), now);
      continue;
    }
    const std::string why = "takes " + mib_text(bytes) + " on card " +
                            std::to_string(number_of(card)) + "; its limit is " + mib_text(limit);
    if (stopped) {
      if (pressure) end_for_limit(state, *found, why + ", and the card is too full", now, applied);
      continue;
    }
    // A job that is away or on its way cannot grow; it is looked at when it is back.
    if (is_aside(*found)) continue;
    const auto last = earlier.find(attempt);
    if (last == earlier.end() || last->second <= limit) continue;
    const bool waits = state.rules().vram_limit_pause > Seconds{0} && !pressure &&
                       std::holds_alternative<Running>(found->state);
    (waits ? stop_at_limit : end_for_limit)(state, *found, why, now, applied);
  }
}

void end_over_limit(State& state, Now now, Applied& applied) {
  const std::set<JobId> aside = state.aside();
  for (const JobId id : aside) {
    const Job& job = *state.find(id);
    if (!is_stopped_at_limit(job) || stopping_of(job) != StopReason::kNone) continue;
    const Wall latest = now.wall + state.rules().vram_limit_pause;
    if (*aside_of(job)->over_limit_until > latest) {
      // The clock was set back: nobody waits longer than was said.
      Job sooner = job;
      change_aside(sooner).over_limit_until = latest;
      state.put(std::move(sooner), now);
      continue;
    }
    if (*aside_of(job)->over_limit_until > now.wall) continue;
    end_for_limit(state, job,
                  "is still above its limit of " + mib_text(job.spec->extras->vram_limit_bytes),
                  now, applied);
  }
}

void limit_changed(State& state, Job& job, Now now) {
  if (!is_stopped_at_limit(job) || is_over_limit(state, job, std::nullopt)) return;
  resume_below_limit(state, job, "is within its new limit", now);
}

}  // namespace gpusched
