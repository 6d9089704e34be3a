// /v1/leases: ask for one, look at it, wait for it, hold it, renew it, release it.
#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <utility>

#include "api/answers.h"
#include "api/lease_answer.h"
#include "api/peer_process.h"
#include "api/routes.h"
#include "json/environment.h"
#include "json/lease_json.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kLeaseWaitMost = 7ULL * 24 * 3600 * 1000;

// A client that waits until its lease is granted (or on its cards) or has ended, or for so long.
class LeaseWait : public std::enable_shared_from_this<LeaseWait> {
 public:
  LeaseWait(Context& context, const Call& call, JobId lease, bool on_cards = false)
      : context_(context),
        responder_(call.responder),
        lease_(lease),
        on_cards_(on_cards),
        timer_(context.loop) {}

  void start(std::uint64_t wait_ms) {
    if (wait_ms == 0 || settled()) return answer();
    watcher_ = std::make_shared<JobWatch::Watcher>();
    watcher_->changed = [weak = weak_from_this()](JobId) {
      const auto self = weak.lock();
      if (self && self->settled()) self->answer();
    };
    context_.job_watch.add(lease_, watcher_);
    timer_.expires_after(std::chrono::milliseconds(wait_ms));
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
      const auto self = weak.lock();
      if (!error && self) self->answer();
    });
    // The connection holds this until the answer is sent or the client has gone.
    responder_.on_gone([self = shared_from_this()] { self->let_go(); });
  }

 private:
  bool settled() const {
    const Job* job = context_.state().find(lease_);
    if (job == nullptr || job->ended()) return true;
    return job->active() && (!on_cards_ || aside_phase(*job) == AsidePhase::kHere);
  }
  void answer() {
    let_go();
    context_.after_commit.run([self = shared_from_this()] {
      const Job* job = self->context_.state().find(self->lease_);
      if (job == nullptr) {
        return self->responder_.fail(
            {ErrorCode::kNotFound, "there is no lease " + to_string(self->lease_) + " any more"});
      }
      self->responder_.send(json_response(lease_json(self->context_, *job)));
    });
  }
  void let_go() {
    watcher_.reset();
    timer_.cancel();
  }

  Context& context_;
  Responder responder_;
  JobId lease_;
  bool on_cards_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<JobWatch::Watcher> watcher_;
};

// A connection that holds its lease: one line now and with every change, until the lease ends or
// the client leaves. A silent connection is no sign of anything: the kernel tells when it is gone.
class LeaseHold : public std::enable_shared_from_this<LeaseHold> {
 public:
  LeaseHold(Context& context, const Call& call, JobId lease)
      : context_(context), responder_(call.responder), lease_(lease) {}

  void start() {
    context_.lease_holders.attach(lease_);
    watcher_ = std::make_shared<JobWatch::Watcher>();
    watcher_->changed = [weak = weak_from_this()](JobId) {
      const auto self = weak.lock();
      if (!self) return;
      self->news_ = true;
      self->responder_.wake();
    };
    context_.job_watch.add(lease_, watcher_);
    responder_.on_gone([self = shared_from_this()] {
      self->watcher_.reset();
      self->context_.lease_holders.detach(self->lease_);
    });
    HttpResponse response;
    response.content_type = "application/x-ndjson";
    response.stream = [self = shared_from_this()](std::string& out) { return self->pull(out); };
    responder_.send(std::move(response));
  }

 private:
  Pull pull(std::string& out) {
    if (context_.after_commit.must_wait()) {
      context_.after_commit.run_later([responder = responder_] { responder.wake(); });
      return Pull::kWait;
    }
    if (!std::exchange(news_, false)) return Pull::kWait;
    const Job* job = context_.state().find(lease_);
    if (job == nullptr) return Pull::kEnd;
    out += lease_json(context_, *job) + "\n";
    return job->ended() ? Pull::kEnd : Pull::kWait;
  }

  Context& context_;
  Responder responder_;
  JobId lease_;
  bool news_ = true;
  std::shared_ptr<JobWatch::Watcher> watcher_;
};

// The lease of the path, if it is one and the caller may see to it.
Result<JobId> lease_of(const Context& context, const Call& call) {
  Result<const Job*> job = selected_job(context, call);
  if (!job) return failure(job.error());
  if (!(*job)->spec->lease) {
    return failure(ErrorCode::kNotFound, "job " + to_string((*job)->id) + " is no lease");
  }
  return (*job)->id;
}

Result<void> fill_in_holder(Context& context, const Call& call, LeaseTerms& terms) {
  const Peer& peer = call.request.peer;
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
      context.lease_holders.watch(terms.pid, peer.uid, call.actor.administrator, std::move(asker));
  if (!started) return failure(started.error());
  terms.pid_started = *started;
  terms.program = context.lease_holders.program_of_process(terms.pid);
  return {};
}

void ask(Context& context, const Call& call, LeaseBody body, const std::string& user,
         std::uint64_t wait_ms) {
  const bool by_connection = body.spec.lease->by_connection;
  body.spec.environment = context.environments.share(body.spec.environment);
  if (body.wait_at_most.count() > 0)
    body.spec.rare.edit().expire = context.now().wall + body.wait_at_most;
  SubmitAsked asked;
  asked.owner = {call.request.peer.uid, call.request.peer.gid, user};
  asked.tenant = context.state().tenants().tenant_of(user);
  asked.spec = std::make_shared<const JobSpec>(std::move(body.spec));
  asked.priority = body.priority;
  asked.administrator = call.actor.administrator;
  asked.tasks.emplace_back();
  ask_engine(
      context, call, std::move(asked),
      [&context, call, wait_ms, by_connection](Result<Answer> answer) {
        if (!answer) return call.responder.fail(answer.error());
        const auto* submitted = std::get_if<Submitted>(&*answer);
        if (submitted == nullptr) {
          return call.responder.fail({ErrorCode::kInternal, "the lease got no answer"});
        }
        if (call.dry_run) {
          return call.responder.send(json_response(R"({"schema":1,"lease":null,"dry_run":true})"));
        }
        if (by_connection) {
          std::make_shared<LeaseHold>(context, call, submitted->first)->start();
        } else {
          std::make_shared<LeaseWait>(context, call, submitted->first)->start(wait_ms);
        }
      });
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
    call.responder.send(json_response(lease_json(context, *job)));
  });
}

}  // namespace

void ask_lease(Context& context, Call call) {
  Result<std::optional<std::uint64_t>> wait =
      query_number(call.request.query, "wait_ms", kLeaseWaitMost);
  if (!wait) return call.responder.fail(wait.error());
  Result<LeaseBody> body = parse_lease(call.request.body);
  if (!body) return call.responder.fail(body.error());
  if (Result<void> held = fill_in_holder(context, call, *body->spec.lease); !held) {
    return call.responder.fail(held.error());
  }
  // Shared, because a function object must be copyable.
  auto kept = std::make_shared<LeaseBody>(std::move(*body));
  with_account(context, call, call.request.peer.uid,
               [&context, call, kept, wait_ms = wait->value_or(0)](const std::string& user) {
                 if (call.dry_run) {
                   context.after_commit.run([&context, call, kept, user, wait_ms] {
                     ask(context, call, std::move(*kept), user, wait_ms);
                   });
                 } else {
                   ask(context, call, std::move(*kept), user, wait_ms);
                 }
               });
}

void list_leases(Context& context, Call call) {
  context.estimates.keep_fresh();
  const auto wanted = call.request.query.find("application");
  const auto mine = call.request.query.find("mine");
  std::string out;
  JsonWriter json(out);
  LeaseWriter writer(context);
  json.begin_object().field("schema", 1).key("leases").begin_array();
  for (const JobId id : context.state().leases().live()) {
    const Job& job = *context.state().find(id);
    const bool named =
        wanted == call.request.query.end() || job.spec->lease->application == wanted->second;
    const bool own =
        mine == call.request.query.end() || mine->second == "0" || job.owner.uid == call.actor.uid;
    if (named && own) writer.write(json, job);
  }
  json.end_array().end_object();
  call.responder.send(json_response(std::move(out)));
}

void show_lease(Context& context, Call call) {
  Result<std::optional<std::uint64_t>> wait =
      query_number(call.request.query, "wait_ms", kLeaseWaitMost);
  if (!wait) return call.responder.fail(wait.error());
  Result<JobId> lease = lease_of(context, call);
  if (!lease) return call.responder.fail(lease.error());
  std::make_shared<LeaseWait>(context, call, *lease)->start(wait->value_or(0));
}

void hold_lease(Context& context, Call call) {
  Result<JobId> lease = lease_of(context, call);
  if (!lease) return call.responder.fail(lease.error());
  const Job& job = *context.state().find(*lease);
  if (!call.actor.administrator && job.owner.uid != call.actor.uid) {
    return call.responder.fail(
        {ErrorCode::kForbidden, "lease " + to_string(*lease) + " belongs to " + job.owner.user});
  }
  if (!job.spec->lease->by_connection) {
    return call.responder.fail({ErrorCode::kConflict, "lease " + to_string(*lease) +
                                                          " is held by a process, not by a "
                                                          "connection"});
  }
  if (call.dry_run) return call.responder.send(json_response(changed_json({{*lease}, {}}, true)));
  std::make_shared<LeaseHold>(context, call, *lease)->start();
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
        std::make_shared<LeaseWait>(context, call, lease, true)->start(wait_ms);
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
