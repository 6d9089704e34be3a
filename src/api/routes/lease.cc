// /v1/leases: look at them, wait for one, hold it, renew it, release it.
#include <algorithm>
#include <utility>

#include "api/answers.h"
#include "api/lease_answer.h"
#include "api/lease_changes.h"
#include "api/lease_wait.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "core/model/kind.h"
#include "wire/lease.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

constexpr Microseconds kListFreshEnough = Seconds{2};

// The lease of the path, if it is one and the caller may see to it.
Result<JobId> lease_of(const Context& context, const Call& call) {
  Result<const Job*> job = selected_job(context, call);
  if (!job) return failure(job.error());
  if (!kind_of(**job).has_holder) {
    return failure(ErrorCode::kNotFound, "job " + to_string((*job)->id) + " is no lease");
  }
  return (*job)->id;
}

void answer_with_lease(Context& context, const Call& call, JobId lease, Event event) {
  ask_engine(context, call, std::move(event), [&context, call, lease](const Result<Answer>& done) {
    if (!done) return call.responder.fail(done.error());
    const auto* changed = std::get_if<Changed>(&*done);
    if (call.dry_run || changed == nullptr) {
      return call.responder.send(
          json_response(changed_json(changed == nullptr ? Changed{} : *changed, call.dry_run)));
    }
    const Job* job = context.state().find(lease);
    if (job == nullptr) return call.responder.send(json_response(changed_json(*changed, false)));
    call.responder.send(json_response(lease_json(context, call.actor, *job)));
  });
}

bool is_set(const Call& call, const char* name) {
  const auto found = call.request.query.find(name);
  return found != call.request.query.end() && found->second != "0";
}

bool is_listed(const Context& context, const Call& call, const Job& job) {
  if (!Veil(context, call.actor).sees(job)) return false;
  const LeaseTerms& terms = *job.spec->lease;
  const auto wanted = call.request.query.find("application");
  if (wanted != call.request.query.end() && terms.application != wanted->second) return false;
  if (is_set(call, "mine") && !owns(call.actor, owned_by(job.owner))) return false;
  const bool callers =
      !call.actor.is_by_token() && !terms.by_connection && terms.pid == call.request.peer.pid;
  return callers || !is_set(call, "caller");
}

// How old the look ahead may be by which the starts of what is listed are told; none: nothing
// waits. Who came after it is not in it; of who was there and is not in it nobody can say.
std::optional<Microseconds> age_wanted(const Context& context, const Call& call) {
  const auto looked = context.estimates.looked_at();
  std::optional<Microseconds> age;
  for (const JobId id : context.state().leases().live()) {
    const Job& job = *context.state().find(id);
    if (!std::holds_alternative<Queued>(job.state) || !is_listed(context, call, job)) continue;
    age = kListFreshEnough;
    const bool came_later = !looked || job.submitted_at >= *looked;
    const bool told = context.estimates.of(job) || !context.estimates.why_unknown(job).empty();
    if (came_later && !told) return Microseconds{0};
  }
  return age;
}

void send_list(Context& context, const Call& call) {
  wire::Leases answer;
  LeaseWriter writer(context, call.actor);
  for (const JobId id : context.state().leases().live()) {
    const Job& job = *context.state().find(id);
    if (is_listed(context, call, job)) answer.leases.push_back(writer.of(job));
  }
  call.responder.send(json_response(wire::to_json(answer)));
}

}  // namespace

void list_leases(Context& context, Call call) {
  for (const char* name : {"mine", "caller"}) {
    const auto flag = query_number(call.request.query, name, 1);
    if (!flag) return call.responder.fail(flag.error());
  }
  const auto age = age_wanted(context, call);
  if (!age) return send_list(context, call);
  context.estimates.when_fresh(*age, [&context, call] {
    context.after_commit.run(call.actor.account(), [&context, call] { send_list(context, call); });
  });
}

void follow_leases(Context& context, Call call) { context.lease_changes->follow(context, call); }

void show_lease(Context& context, Call call) {
  Result<std::optional<std::uint64_t>> wait =
      query_number(call.request.query, "wait_ms", kLeaseWaitMost);
  if (!wait) return call.responder.fail(wait.error());
  Result<JobId> lease = lease_of(context, call);
  if (!lease) return call.responder.fail(lease.error());
  wait_for_lease(context, call, *lease, wait->value_or(0));
}

void hold_lease(Context& context, Call call) {
  Result<JobId> lease = lease_of(context, call);
  if (!lease) return call.responder.fail(lease.error());
  const Job& job = *context.state().find(*lease);
  if (!may(call.actor, Action::kHoldLease, owned_by(job.owner))) {
    return call.responder.fail(
        {ErrorCode::kForbidden, "lease " + to_string(*lease) + " belongs to " + job.owner.user});
  }
  if (!job.spec->lease->by_connection) {
    return call.responder.fail({ErrorCode::kConflict, "lease " + to_string(*lease) +
                                                          " is held by a process, not by a "
                                                          "connection"});
  }
  if (call.dry_run) return call.responder.send(json_response(changed_json({{*lease}, {}}, true)));
  hold_by_connection(context, call, *lease);
}

void renew_lease(Context& context, Call call) {
  Result<Seconds> ttl = parse_renewal(call.request.body);
  if (!ttl) return call.responder.fail(ttl.error());
  Result<JobId> lease = lease_of(context, call);
  if (!lease) return call.responder.fail(lease.error());
  answer_with_lease(context, call, *lease, LeaseRenewAsked{call.actor, *lease, *ttl});
}

void resume_lease(Context& context, Call call) {
  Result<std::optional<std::uint64_t>> wait =
      query_number(call.request.query, "wait_ms", kLeaseWaitMost);
  if (!wait) return call.responder.fail(wait.error());
  Result<JobId> lease = lease_of(context, call);
  if (!lease) return call.responder.fail(lease.error());
  ask_engine(
      context, call, ResumeAsked{call.actor, {*lease}},
      [&context, call, lease = *lease, wait_ms = wait->value_or(0)](const Result<Answer>& done) {
        if (!done) return call.responder.fail(done.error());
        const auto* changed = std::get_if<Changed>(&*done);
        if (call.dry_run) {
          return call.responder.send(
              json_response(changed_json(changed == nullptr ? Changed{} : *changed, true)));
        }
        // One that is on its cards, or on its way there, is as good as asked for.
        wait_until_on_cards(context, call, lease, wait_ms);
      });
}

void release_lease(Context& context, Call call) {
  Result<JobId> lease = lease_of(context, call);
  if (!lease) return call.responder.fail(lease.error());
  answer_with_lease(context, call, *lease, LeaseReleaseAsked{call.actor, {*lease}});
}

void reset_leases(Context& context, Call call) {
  const auto application = call.request.query.find("application");
  if (application == call.request.query.end() || application->second.empty()) {
    return call.responder.fail(
        {ErrorCode::kInvalid, "say whose leases: DELETE /v1/leases?application=NAME"});
  }
  ask_engine(context, call, LeaseResetAsked{call.actor, application->second},
             [call](const Result<Answer>& done) {
               if (!done) return call.responder.fail(done.error());
               const auto* changed = std::get_if<Changed>(&*done);
               call.responder.send(json_response(
                   changed_json(changed == nullptr ? Changed{} : *changed, call.dry_run)));
             });
}

}  // namespace gpusched
