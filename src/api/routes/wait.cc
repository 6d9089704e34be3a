// GET /v1/jobs/{selector}/wait
#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <unordered_set>
#include <utility>

#include "api/answers.h"
#include "api/job_rows.h"
#include "api/routes/routes.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kTimeoutMost = 7ULL * 24 * 3600 * 1000;

// A client that waits until all of its jobs have ended, or for so long.
class WaitAnswer : public std::enable_shared_from_this<WaitAnswer> {
 public:
  WaitAnswer(Context& context, const Call& call, std::vector<JobId> ids, Folding folding)
      : context_(context),
        actor_(call.actor),
        responder_(call.responder),
        ids_(std::move(ids)),
        folding_(folding),
        timer_(context.loop) {}

  void start(std::optional<std::uint64_t> timeout_ms) {
    for (const JobId id : ids_) {
      if (!has_ended(id)) left_.insert(id);
    }
    if (left_.empty()) return answer();
    context_.lasting.add(actor_, responder_);
    watcher_ = std::make_shared<JobWatch::Watcher>();
    watcher_->changed = [weak = weak_from_this()](JobId id) {
      if (const auto self = weak.lock()) self->look_at(id);
    };
    for (const JobId id : left_) context_.job_watch.add(id, watcher_);
    if (timeout_ms) {
      timer_.expires_after(std::chrono::milliseconds(*timeout_ms));
      timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
        const auto self = weak.lock();
        if (!error && self) self->answer();
      });
    }
    // The connection holds this until the answer is sent or the client has gone.
    responder_.on_gone([self = shared_from_this()] { self->let_go(); });
  }

 private:
  bool has_ended(JobId id) const {
    const Job* job = context_.state().find(id);
    return job == nullptr || job->ended();
  }

  void look_at(JobId id) {
    if (!has_ended(id) || left_.erase(id) == 0 || !left_.empty()) return;
    answer();
  }

  void answer() {
    let_go();
    context_.after_commit.run(actor_.account(), [self = shared_from_this()] {
      RowsAsked asked;
      asked.head = self->left_.empty() ? R"({"schema":1,"done":true,"jobs":[)"
                                       : R"({"schema":1,"done":false,"jobs":[)";
      asked.ids = std::move(self->ids_);
      asked.folding = self->folding_;
      send_rows(self->context_, self->actor_, std::move(asked), self->responder_);
    });
  }

  void let_go() {
    watcher_.reset();
    timer_.cancel();
  }

  Context& context_;
  Principal actor_;
  Responder responder_;
  std::vector<JobId> ids_;
  Folding folding_;
  boost::asio::steady_timer timer_;
  std::unordered_set<JobId> left_;
  std::shared_ptr<JobWatch::Watcher> watcher_;
};

}  // namespace

void wait_for_jobs(Context& context, Call call) {
  Result<std::optional<std::uint64_t>> timeout =
      query_number(call.request.query, "timeout_ms", kTimeoutMost);
  if (!timeout) return call.responder.fail(timeout.error());
  Result<std::vector<JobId>> ids = selected_jobs(context, call);
  if (!ids) return call.responder.fail(ids.error());
  Result<Folding> folding = parse_folding(call.request.query);
  if (!folding) return call.responder.fail(folding.error());
  std::make_shared<WaitAnswer>(context, call, std::move(*ids), *folding)->start(*timeout);
}

}  // namespace gpusched
