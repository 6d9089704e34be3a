// The moves that several events share. Each keeps the trail: what happened, when, why.
#pragma once

#include <functional>
#include <string>

#include "core/access/rights.h"
#include "core/apply/applied.h"
#include "core/decide/decide.h"
#include "core/model/kind.h"
#include "core/state/state.h"

namespace gpusched {

// Ends a job, and what depends on it follows: dependents become eligible, or end with it.
void end_job(State& state, Job job, Ended ended, Now now);
// Back into the queue; `retry_in` zero: at once.
void queue_again(State& state, Job job, Microseconds retry_in, const std::string& why, Now now);
// A failed attempt: the job gets another one, or ends.
Applied fail_attempt(State& state, Job job, Ended ended, Now now);
// Where the first jobs of its sweep all died at once, the rest is held.
void guard_sweep(State& state, const Job& job, Applied& applied);
// One sentence about how an attempt ended.
std::string outcome_text(const Ended& ended);
// The answer to an event that changes nothing.
Applied refused(Refusal refusal);
Applied refused(RefusalKind kind, std::string message);
// The answer to somebody who asks for what only others may do.
Refusal only_others_may(Action action);
// True: longer than the job's tenant may ask for.
bool beyond_longest(const StateView& state, const Job& job, Seconds limit);
// What the end of the attempt will mean. REQUIRES: job.active().
StopReason& stopping_in(Job& job);

Applied apply_submit(State& state, const SubmitAsked& asked, Now now);
Applied apply_leases(State& state, const LeasesAsked& asked, Now now);
Applied apply_cancel(State& state, const CancelAsked& asked, Now now);
Applied apply_hold(State& state, const HoldAsked& asked, Now now);
Applied apply_release(State& state, const ReleaseAsked& asked, Now now);
Applied apply_pause(State& state, const PauseAsked& asked, Now now);
Applied apply_resume(State& state, const ResumeAsked& asked, Now now);
// What `set` would make of the specs; the refusal if it must not be done at all.
// `move`. REQUIRES: asked.patch.before, and the jobs exist.
Applied move_in_queue(State& state, const SetAsked& asked, Now now);
std::optional<Refusal> renew_specs(const StateView& state, const SetAsked& asked,
                                   RenewedSpecs& renewed);
Applied apply_requeue(State& state, const RequeueAsked& asked, Now now);
Applied apply_set(State& state, const SetAsked& asked, Now now);
Applied apply_adopt(State& state, const AdoptAsked& asked, Now now);
std::optional<Refusal> check_adopt(const StateView& state, const AdoptAsked& asked, Now now);
Applied apply_let_go(State& state, const LetGoAsked& asked, Now now);
// The attempt's supervisor was lost before it took over: another one tries, the process is there.
Applied adopt_again(State& state, Job job, const std::string& why, Now now);
// An adopted process that is to be let go is, if it is on its cards and was seen there.
void let_go_if_asked(const StateView& state, const Job& job, std::vector<Effect>& effects);
// Those that were waited with until this card was looked at again.
void release_adopted_on(const StateView& state, CardNumber card, std::vector<Effect>& effects);
// Jobs of others are kept out of a user's own group.
std::optional<Refusal> check_group(const std::string& user, const std::string& name);
Applied apply_group_set(State& state, const GroupSetAsked& asked);
Applied apply_group_remove(State& state, const GroupRemoveAsked& asked);
std::optional<Refusal> check_group_remove(const StateView& state, const GroupRemoveAsked& asked);
Applied apply_tenant_set(State& state, const TenantSetAsked& asked, Now now);
Applied apply_tenant_unset(State& state, const TenantUnsetAsked& asked, Now now);
Applied apply_drain(State& state, const DrainAsked& asked, Now now);
Applied apply_undrain(State& state, const UndrainAsked& asked, Now now);
Applied apply_reserve(State& state, const ReserveAsked& asked, Now now);
Applied apply_unreserve(State& state, const UnreserveAsked& asked);
// Removes reservations whose time is over.
void end_reservations(State& state, Now now);
Applied apply_trouble(State& state, const CardTroubleSeen& seen, Now now);
// How a lease ends. A waiting one ends as cancelled whatever the cause.
struct LeaseEnd {
  Cause cause = Cause::kExit;
  StopReason why = StopReason::kNone;
  std::string message;
};
void end_lease(State& state, Job job, const LeaseEnd& end, Now now);
void end_due_leases(State& state, Now now);
Applied apply_lease_release(State& state, const LeaseReleaseAsked& asked, Now now);
Applied apply_lease_renew(State& state, const LeaseRenewAsked& asked, Now now);
Applied apply_lease_reset(State& state, const LeaseResetAsked& asked, Now now);
Applied apply_holder_gone(State& state, const LeaseHolderGone& gone, Now now);

std::optional<Refusal> check_token(const StateView& state, const TokenMakeAsked& asked, Now now);
std::optional<Refusal> check_token_revoke(const StateView& state, const TokenRevokeAsked& asked);
Applied apply_token_make(State& state, const TokenMakeAsked& asked, Now now);
Applied apply_token_revoke(State& state, const TokenRevokeAsked& asked);
Applied apply_token_used(State& state, const TokenUsed& used);

// Gives messages that are due to whoever delivers them.
void send_due_messages(State& state, Now now, Applied& applied);
Applied apply_messages_settled(State& state, const MessagesSettled& settled, Now now);
Applied apply_alarms(State& state, const AlarmsSeen& seen, Now now);
std::optional<Refusal> check_silence(const StateView& state, const SilenceAsked& asked, Now now);
std::optional<Refusal> check_silence_end(const StateView& state, const SilenceEndAsked& asked);
std::optional<Refusal> check_alarm_test(const AlarmTestAsked& asked);
Applied apply_silence(State& state, const SilenceAsked& asked, Now now);
Applied apply_silence_end(State& state, const SilenceEndAsked& asked);
Applied apply_alarm_test(State& state, const AlarmTestAsked& asked, Now now);

Applied apply_seen(State& state, const CardSeen& seen, Now now);
// What an attempt's end says about the cards it ran on. Before apply_finished().
void judge_cards_by(State& state, const AttemptFinished& report, Now now);
Applied apply_progress(State& state, const ProgressSeen& seen);
Applied apply_running(State& state, const AttemptRunning& report, Now now);
Applied apply_finished(State& state, const AttemptFinished& report, Now now);
Applied apply_never_ran(State& state, const AttemptNeverRan& report, Now now);
// How an active job leaves its cards; notes it, and adds what has to be done outside. `why` is a
// sentence's beginning: "moved aside for job 41".
struct Leaving {
  Victim victim;
  JobId for_job{};  // 0: for nobody in particular.
  bool by_hand = false;
  StopReason stop = StopReason::kMakeRoom;  // What the end of the attempt means where it ends.
  std::string why;
};
void send_aside(State& state, Job job, const Leaving& leaving, std::vector<Effect>& effects,
                Now now);
// A job or lease that is aside goes on waiting, with something about it changed. Empty: done.
std::string aside_changed(State& state, Job job, const std::string& why, Now now);
Applied accept_room(State& state, const Preempt& plan, Now now);
Applied accept_return(State& state, const Resume& back, Now now);
// A new look at a card: whoever has taken more than its limit in both looks is stopped, or ended.
void enforce_vram_limits(State& state, CardNumber card, const CardView& before,
                         const CardView& after, Now now, Applied& applied);
// Ends those that were stopped at their limit, and whose time to have it raised is over.
void end_over_limit(State& state, Now now, Applied& applied);
// Its limit has changed: it may go on if it was stopped for that and is within it now.
void limit_changed(State& state, Job& job, Now now);
// It speaks the checkpoint contract, and ended with the code for "saved, start me again".
bool has_saved(const Job& job, const AttemptFinished& report);
void queue_saved(State& state, Job job, const AttemptFinished& report, Now now);
// The pause before a job's next try, doubling with each.
Microseconds back_off_of(const RetryRule& rule, int times);
Applied apply_moved(State& state, const MovedAside& report, Now now);
Applied apply_back(State& state, const BroughtBack& report, Now now);
Applied apply_move_failed(State& state, const MoveFailed& report, Now now);
Applied apply_holder_active(State& state, const HolderActive& active, Now now);
// A lease that is aside must return before it ends. False: it is on its cards, and may end now.
bool ends_when_back(State& state, const Job& lease, StopReason why, const std::string& what,
                    Now now);
Applied apply_hold_sweep(State& state, const HoldSweep& event, Now now);
Applied apply_abandoned(State& state, const SubmissionAbandoned& event);
Applied apply_retention(State& state, const RetentionDue& due, Now now);

// What somebody asks of several jobs. `change` makes it of one, or says why that one stays as it
// is.
using ChangeOne = std::function<std::string(Job job, std::vector<Effect>& effects)>;
Applied change_each(const StateView& state, const Principal& actor, const std::vector<JobId>& jobs,
                    const ChangeOne& change, Action action = Action::kSteerJob);

// Refuses the whole request if a job that it lets into the queue has a priority that its tenant may
// not ask for any more.
std::optional<Refusal> refuse_again(const StateView& state, const Principal& actor,
                                    const std::vector<JobId>& jobs,
                                    const std::function<bool(const Job&)>& concerns);
// Refuses the whole request if one id is unknown, or is none that the actor may do that to.
std::optional<Refusal> refuse_ids(const StateView& state, const Principal& actor,
                                  const std::vector<JobId>& jobs, Action action);

// Refuses what the tenant's limit of queued jobs does not admit.
std::optional<Refusal> check_queued_quota(const StateView& state, const SubmitAsked& asked);
// Refuses a priority above the highest of the tenant, unless the actor may exceed limits.
std::optional<Refusal> check_priority(const StateView& state, const std::string& tenant,
                                      int priority, const Principal& actor);
// The same for jobs that get this priority, or that would wait again with their own.
std::optional<Refusal> check_priorities(const StateView& state, const Principal& actor,
                                        const std::vector<JobId>& jobs,
                                        std::optional<int> priority = {});
// What was asked, with the tenant's longest time limit where none was given.
std::shared_ptr<const JobSpec> spec_under_terms(const StateView& state, const SubmitAsked& asked);

// The patch applied to a spec; the needs are checked against the machine.
std::optional<Refusal> check_needs(const StateView& state, const Needs& needs);
// Every job to wait for exists and can still end as wished.
std::optional<Refusal> check_dependencies(const StateView& state, const JobSpec& spec);

}  // namespace gpusched
