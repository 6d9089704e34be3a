// What must be true after every turn, whatever happened.
#include <algorithm>
#include <cmath>

#include "core/explain/explain.h"
#include "core/model/kind.h"
#include "sim/fault_world.h"

namespace gpusched {

void FaultWorld::check() {
  if (engine_ == nullptr) return;
  std::set<JobId> found;
  for (const AttemptId& attempt : found_) found.insert(attempt.job);
  engine_->check_invariants(found);
  check_acknowledged();
  check_processes();
  check_waiting();
  check_quotas();
  check_jobs_at_once();
  check_outbox();
  check_work();
}

// The sums of work have every attempt once, whatever was cut off in between. What was found after
// a loss of the store was not seen to start.
void FaultWorld::check_work() {
  if (!found_.empty()) return;
  double attempts = 0;
  for (const auto& [id, job] : engine_->state().jobs()) attempts += job.attempt;
  attempts -= static_cast<double>(engine_->state().active().size());
  double counted = 0;
  for (const auto& [key, row] : engine_->state().work()) counted += row.sums.attempts;
  if (std::abs(counted - attempts) > 1e-6) {
    violate("the sums of work have " + std::to_string(counted) + " attempts instead of " +
            std::to_string(attempts));
  }
}

// What was adopted was there before anybody asked, and so was what was found after a loss.
void FaultWorld::check_jobs_at_once() {
  if (jobs_most_ == 0) return;
  int started = 0;
  for (const JobId id : engine_->state().active()) {
    const Job& job = *engine_->state().find(id);
    started += kind_of(job).taken_over() || found_.contains(job.current_attempt()) ? 0 : 1;
  }
  if (started > jobs_most_) violate("more jobs run than the daemon can follow");
}

// Nothing is launched on a card that nobody has looked at in time, or that others keep busy.
void FaultWorld::check_start(AttemptId attempt) {
  const Job* job = engine_->state().find(attempt.job);
  if (job == nullptr || !job->active() || kind_of(*job).taken_over()) return;
  const std::string why = seen_cards_->why_not(*grant_of(*job), engine_->state().rules(), now_);
  if (!why.empty()) violate("job " + to_string(attempt.job) + " started, but " + why);
  check_nobody_joins_growth(*job);
}

// Whoever has more than it was given, and took some of it between the last two looks, is joined by
// nobody. Worked out from what was told, not as the daemon does it.
void FaultWorld::check_nobody_joins_growth(const Job& job) {
  for (const CardGrant& held : grant_of(job)->cards) {
    for (const SimCards::Grown& grown : seen_cards_->grown_on(held.card)) {
      const Job* other = engine_->state().find(grown.attempt.job);
      if (other == nullptr || !other->active() || other->current_attempt() != grown.attempt) {
        continue;
      }
      if (is_aside(*other)) continue;
      for (const CardGrant& given : grant_of(*other)->cards) {
        if (given.card != held.card || grown.vram_bytes <= given.vram_bytes) continue;
        violate("job " + to_string(job.id) + " started beside job " + to_string(other->id) +
                ", which grows beyond what it was given");
      }
    }
  }
}

std::map<AttemptId, std::uint64_t> FaultWorld::vram_given() const {
  std::map<AttemptId, std::uint64_t> given;
  for (const JobId id : engine_->state().active()) {
    const Job& job = *engine_->state().find(id);
    TenantHolds holds;
    holds.add(*grant_of(job));
    given[job.current_attempt()] = holds.vram_bytes;
  }
  return given;
}

bool FaultWorld::has_found(const std::string& tenant) const {
  return std::ranges::any_of(found_, [&](const AttemptId& attempt) {
    const Job* job = engine_->state().find(attempt.job);
    return job != nullptr && job->active() && job->current_attempt() == attempt &&
           job->tenant == tenant;
  });
}

// Nobody gets more than a quota admits. What was held when it was lowered may go on, and what a job
// took without asking counts from the moment that it is moved aside for it.
void FaultWorld::check_quotas() {
  std::map<std::string, TenantHolds> holds;
  std::map<std::string, std::uint64_t> taken;
  std::map<AttemptId, std::uint64_t> given = vram_given();
  for (const auto& [attempt, bytes] : given) {
    const auto before = given_.find(attempt);
    if (before == given_.end() || bytes <= before->second) continue;
    taken[engine_->state().find(attempt.job)->tenant] += bytes - before->second;
  }
  for (const auto& [name, entry] : engine_->state().tenants().entries()) {
    const TenantHolds& before = held_[name];
    const TenantHolds& now = entry.holds;
    holds[name] = now;
    // What was adopted, or found after a loss, was there before anybody asked.
    if (name == "by-hand" || has_found(name)) continue;
    if ((now.cards > entry.terms.cards && now.cards > before.cards) ||
        (now.vram_bytes > entry.terms.vram_bytes &&
         now.vram_bytes > before.vram_bytes + taken[name]) ||
        (now.running > entry.terms.running && now.running > before.running)) {
      violate("tenant " + name + " is above its quota");
    }
  }
  held_ = std::move(holds);
  given_ = std::move(given);
}

// Nothing acknowledged is lost, and an end that was told stays as it was told.
void FaultWorld::check_acknowledged() {
  const StateView& state = engine_->state();
  for (const JobId id : acknowledged_) {
    if (state.find(id) == nullptr) violate("acknowledged job " + to_string(id) + " is lost");
  }
  for (const auto& [id, attempt] : cancelled_) {
    const Job* job = state.find(id);
    if (job != nullptr && job->attempt > attempt) {
      violate("job " + to_string(id) + " was cancelled and has begun again");
    }
  }
  // While a commit is under way or undone the state may be ahead of what was told.
  for (const auto& [id, told] : ended_) {
    const Job* job = state.find(id);
    if (job == nullptr) {
      violate("ended job " + to_string(id) + " is lost");
    } else if (job->ended() && told != state_name(job->state)) {
      violate("job " + to_string(id) + " was told as " + told + " and is now " +
              state_name(job->state));
    }
  }
}

// Nothing runs twice, nothing runs in two places, and exit codes are the real ones.
void FaultWorld::check_processes() {
  for (const auto& [attempt, truth] : launcher_.truth()) {
    if (truth.times_run > 1) violate("attempt " + to_string(attempt) + " ran twice");
    if (truth.alive && launcher_.alive_of(attempt.job) > 1) {
      violate("job " + to_string(attempt.job) + " runs in two places");
    }
    const Job* job = engine_->state().find(attempt.job);
    if (job == nullptr || job->attempt != attempt.number) continue;
    const auto* ended = std::get_if<Ended>(&job->state);
    if (ended != nullptr && ended->exit_code && truth.exit_code &&
        *ended->exit_code != *truth.exit_code) {
      violate("job " + to_string(attempt.job) + " has the wrong exit code");
    }
    if (truth.alive && !job->active()) {
      violate("job " + to_string(attempt.job) + " is " + state_name(job->state) +
              " but its process lives");
    }
  }
}

// Every waiting job answers why; gangs are whole or not at all.
void FaultWorld::check_waiting() {
  const StateView& state = engine_->state();
  WaitingReasons reasons(state, now_);
  for (const auto& [id, job] : state.jobs()) {
    if (state.in_open_submission(id)) continue;
    const bool waits = !job.active() && !job.ended();
    if (waits) {
      const std::vector<Reason>& why = reasons.of(job);
      if (why.empty()) violate("job " + to_string(id) + " does not say why");
      for (const Reason& reason : why) {
        const auto by_growth = std::ranges::find(reason.lacks, Lack::kGrowth, &CardLack::what);
        tally_.acts.kept_off += by_growth != reason.lacks.end() ? 1 : 0;
      }
    }
    if (job.active() && !found_.contains(job.current_attempt()) &&
        static_cast<int>(grant_of(job)->cards.size()) < job.spec->needs.gpus.least) {
      violate("job " + to_string(id) + " runs with a part of its gang");
    }
  }
}

}  // namespace gpusched
