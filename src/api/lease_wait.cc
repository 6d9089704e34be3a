#include "api/lease_wait.h"

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <utility>

#include "api/lease_answer.h"

namespace gpusched {
namespace {

// A client that waits until its lease is granted (or on its cards) or has ended, or for so long.
class LeaseWait : public std::enable_shared_from_this<LeaseWait> {
 public:
  LeaseWait(Context& context, const Call& call, JobId lease, bool on_cards = false)
      : context_(context),
        actor_(call.actor),
        responder_(call.responder),
        lease_(lease),
        on_cards_(on_cards),
        timer_(context.loop) {}

  void start(std::uint64_t wait_ms) {
    if (wait_ms == 0 || is_decided()) return answer();
    context_.lasting.add(actor_, responder_);
    watcher_ = std::make_shared<JobWatch::Watcher>();
    watcher_->changed = [weak = weak_from_this()](JobId) {
      const auto self = weak.lock();
      if (self && self->is_decided()) self->answer();
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
  bool is_decided() const {
    const Job* job = context_.state().find(lease_);
    if (job == nullptr || job->ended()) return true;
    return job->active() && (!on_cards_ || !is_aside(*job));
  }
  void answer() {
    let_go();
    context_.after_commit.run(kNobody, [self = shared_from_this()] {
      const Job* job = self->context_.state().find(self->lease_);
      if (job == nullptr) {
        return self->responder_.fail(
            {ErrorCode::kNotFound, "there is no lease " + to_string(self->lease_) + " any more"});
      }
      self->responder_.send(json_response(lease_json(self->context_, self->actor_, *job)));
    });
  }
  void let_go() {
    watcher_.reset();
    timer_.cancel();
  }

  Context& context_;
  Principal actor_;
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
      : context_(context), actor_(call.actor), responder_(call.responder), lease_(lease) {
    context.lasting.add(call.actor, call.responder);
  }

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
      context_.after_commit.run_later(kNobody, [responder = responder_] { responder.wake(); });
      return Pull::kWait;
    }
    if (!std::exchange(news_, false)) return Pull::kWait;
    const Job* job = context_.state().find(lease_);
    if (job == nullptr) return Pull::kEnd;
    out += lease_json(context_, actor_, *job) + "\n";
    return job->ended() ? Pull::kEnd : Pull::kWait;
  }

  Context& context_;
  Principal actor_;
  Responder responder_;
  JobId lease_;
  bool news_ = true;
  std::shared_ptr<JobWatch::Watcher> watcher_;
};

}  // namespace

void wait_for_lease(Context& context, const Call& call, JobId lease, std::uint64_t wait_ms) {
  std::make_shared<LeaseWait>(context, call, lease)->start(wait_ms);
}

void wait_until_on_cards(Context& context, const Call& call, JobId lease, std::uint64_t wait_ms) {
  std::make_shared<LeaseWait>(context, call, lease, true)->start(wait_ms);
}

void hold_by_connection(Context& context, const Call& call, JobId lease) {
  std::make_shared<LeaseHold>(context, call, lease)->start();
}

}  // namespace gpusched
