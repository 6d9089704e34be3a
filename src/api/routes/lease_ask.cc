// POST /v1/leases: one lease, or a list of them that joins the queue as one.
#include <map>
#include <memory>
#include <utility>

#include "api/answers.h"
#include "api/lease_answer.h"
#include "api/lease_wait.h"
#include "api/routes/routes.h"
#include "core/apply/apply.h"
#include "http/peer_process.h"
#include "wire/environment.h"
#include "wire/lease.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

Result<void> fill_in_holder(Context& context, const Call& call, LeaseTerms& terms) {
  // Whoever shows a token need have no process here.
  if (call.actor.is_by_token()) {
    if (terms.by_connection) {
      terms.pid = 0;
      return {};
    }
    return failure(ErrorCode::kInvalid,
                   "with a token a lease is held by its connection; ask with holder "
                   "\"connection\"");
  }
  const Peer& peer = call.request.peer;
  if (peer.network && !terms.by_connection) {
    return failure(ErrorCode::kInvalid,
                   "over the network a lease is held by its connection; ask with holder "
                   "\"connection\"");
  }
  const bool named = terms.pid != 0;
  if (!named) terms.pid = peer.pid;
  // Its number may be another's by now: only the kernel knows who connected.
  Fd asker = terms.pid == peer.pid ? call.responder.peer_process() : Fd();
  if (terms.by_connection) {
    const auto started = asker ? start_of_process(terms.pid) : std::nullopt;
    terms.pid_started = started && !process_has_ended(asker) ? *started : 0;
    if (terms.pid_started != 0) {
      terms.program = context.lease_holders.program_of_process(terms.pid);
    }
    return {};
  }
  if (terms.pid <= 0) {
    return failure(ErrorCode::kInvalid,
                   "your process cannot be seen from here (another process namespace); ask with "
                   "holder \"connection\"");
  }
  Result<std::uint64_t> started =
      context.lease_holders.watch(terms.pid, call.actor, std::move(asker));
  if (!started) return failure(started.error());
  terms.pid_started = *started;
  terms.program = context.lease_holders.program_of_process(terms.pid);
  return {};
}

// The kernel is asked once for each process that holds some of them.
Result<void> fill_in_holders(Context& context, const Call& call, std::vector<LeaseBody>& bodies) {
  std::map<int, const LeaseTerms*> known;  // By the number that the body names.
  for (LeaseBody& body : bodies) {
    LeaseTerms& terms = *body.spec.lease;
    const LeaseTerms*& same = known[terms.pid];
    if (same != nullptr) {
      terms.pid = same->pid;
      terms.pid_started = same->pid_started;
      terms.program = same->program;
      continue;
    }
    same = &terms;
    if (Result<void> held = fill_in_holder(context, call, terms); !held) return held;
  }
  return {};
}

SubmitAsked submission_of(Context& context, const Call& call, LeaseBody body) {
  body.spec.environment = context.environments.share(body.spec.environment);
  if (body.wait_at_most.count() > 0)
    body.spec.extras.edit().expire = context.now().wall + body.wait_at_most;
  body.spec.group = group_for(context.state(), call.actor.user, body.spec.group);
  SubmitAsked asked;
  asked.actor = call.actor;
  asked.owner = call.actor.identity();
  asked.tenant = call.actor.tenant;
  asked.spec = std::make_shared<const JobSpec>(std::move(body.spec));
  asked.priority = body.priority;
  asked.tasks.emplace_back();
  return asked;
}

void ask_one(Context& context, const Call& call, LeaseBody body, std::uint64_t wait_ms) {
  const bool by_connection = body.spec.lease->by_connection;
  ask_engine(
      context, call, submission_of(context, call, std::move(body)),
      [&context, call, wait_ms, by_connection](Result<Answer> answer) {
        if (!answer) return call.responder.fail(answer.error());
        const auto* submitted = std::get_if<Submitted>(&*answer);
        if (submitted == nullptr) {
          return call.responder.fail({ErrorCode::kInternal, "the lease got no answer"});
        }
        if (call.dry_run) {
          return call.responder.send(json_response(wire::to_json(wire::OneLease{.dry_run = true})));
        }
        if (by_connection) {
          hold_by_connection(context, call, submitted->first);
        } else {
          wait_for_lease(context, call, submitted->first, wait_ms);
        }
      });
}

void send_leases(Context& context, const Call& call, const Submitted& submitted) {
  wire::Leases answer;
  LeaseWriter writer(context, call.actor);
  for (std::uint64_t i = 0; i < submitted.count; ++i) {
    const Job* job = context.state().find(JobId{number_of(submitted.first) + i});
    if (job != nullptr) answer.leases.push_back(writer.of(*job));
  }
  call.responder.send(json_response(wire::to_json(answer)));
}

// The decision comes after the last of them has joined: the list is served by priority, not by
// which of its requests was read first.
void ask_list(Context& context, const Call& call, std::vector<LeaseBody> bodies) {
  LeasesAsked all;
  all.leases.reserve(bodies.size());
  for (LeaseBody& body : bodies) {
    all.leases.push_back(submission_of(context, call, std::move(body)));
  }
  ask_engine(context, call, std::move(all), [&context, call](Result<Answer> answer) {
    if (!answer) return call.responder.fail(answer.error());
    const auto* submitted = std::get_if<Submitted>(&*answer);
    if (submitted == nullptr) {
      return call.responder.fail({ErrorCode::kInternal, "the leases got no answer"});
    }
    if (call.dry_run) {
      return call.responder.send(json_response(wire::to_json(wire::Leases{.dry_run = true})));
    }
    context.after_commit.run(call.actor.account(), [&context, call, submitted = *submitted] {
      send_leases(context, call, submitted);
    });
  });
}

}  // namespace

void ask_lease(Context& context, Call call) {
  Result<std::optional<std::uint64_t>> wait =
      query_number(call.request.query, "wait_ms", kLeaseWaitMost);
  if (!wait) return call.responder.fail(wait.error());
  Result<LeaseBodies> bodies = parse_leases(call.request.body);
  if (!bodies) return call.responder.fail(bodies.error());
  if (bodies->list && wait->value_or(0) > 0) {
    return call.responder.fail(
        {ErrorCode::kInvalid,
         "wait_ms has no place with a list; GET /v1/leases/changes tells when they are granted"});
  }
  if (Result<void> held = fill_in_holders(context, call, bodies->leases); !held) {
    return call.responder.fail(held.error());
  }
  // Shared, because a function object must be copyable.
  auto kept = std::make_shared<LeaseBodies>(std::move(*bodies));
  with_named_actor(context, call, [&context, kept, wait_ms = wait->value_or(0)](const Call& named) {
    if (kept->list) return ask_list(context, named, std::move(kept->leases));
    ask_one(context, named, std::move(kept->leases.front()), wait_ms);
  });
}

}  // namespace gpusched
