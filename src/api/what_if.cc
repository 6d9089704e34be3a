#include "api/what_if.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "api/veil.h"
#include "api/what_if_answer.h"
#include "core/model/placeholders.h"
#include "os/clock.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

constexpr std::size_t kReplayedMost = 20'000;  // The newest.
// Of ended jobs, looked at in one go: less than a millisecond.
constexpr std::size_t kEndedAtOnce = 500;
constexpr Seconds kTimeMost{30};

// Collects, replays and answers. Kept alive by what waits for its turn.
class Asking : public std::enable_shared_from_this<Asking> {
 public:
  Asking(Context& context, const Call& call, replay::WhatIf asked, Wall since)
      : context_(context), call_(call), asked_(std::move(asked)), since_(since) {
    about_.asked_since = since;
    about_.until = context.now().wall;
    about_.only_own =
        hides_others(context, call.actor) && !Veil(context, call.actor).shows_counts();
  }

  void start() {
    auto ticket = context_.replays.begin(uid());
    if (!ticket) return call_.responder.fail(ticket.error());
    ticket_ = std::move(*ticket);
    call_.responder.on_gone([gone = gone_] { gone->store(true); });
    // Behind all: the newest end first.
    at_ = {Wall::max(), JobId{}};
    collect();
  }

 private:
  std::uint32_t uid() const { return call_.actor.account(); }

  void collect() {
    if (gone_->load()) return;
    const StateView& state = context_.state();
    const Veil veil(context_, call_.actor);
    std::size_t looks = kEndedAtOnce;
    auto it = state.ended().lower_bound(at_);
    while (it != state.ended().begin() && jobs_.size() < kReplayedMost) {
      --it;
      if (it->first < since_) return hand_over();
      if (looks-- == 0) return later();
      at_ = *it;
      take(*state.find(it->second), veil);
    }
    about_.is_part = it != state.ended().begin() && std::prev(it)->first >= since_;
    hand_over();
  }

  void later() {
    context_.turns.give(uid(), [self = shared_from_this()] {
      self->context_.after_commit.run(self->uid(), [self] { self->collect(); });
    });
  }

  void take(const Job& job, const Veil& veil) {
    if (job.spec->lease != nullptr || job.submitted_at < since_) return;
    auto past = replay::past_job_of(job);
    if (!past) {
      about_.never_ran += !about_.only_own || veil.sees(job) ? 1 : 0;
      return;
    }
    WhatIfAbout::Shown shown;
    shown.seen = veil.sees(job);
    if (job.attempt > 1 && (shown.seen || !about_.only_own)) ++about_.ran_again;
    if (shown.seen) {
      const bool arguments = may(call_.actor, Action::kSeeArguments, owned_by(job.owner),
                                 context_.limits.arguments_for_all);
      shown.name = name_of(job, arguments ? Values::kShown : Values::kHidden);
    }
    shown.tenant_seen = veil.sees_tenant(job.tenant);
    about_.shown.emplace(number_of(job.id), std::move(shown));
    jobs_.push_back(std::move(*past));
  }

  void hand_over() {
    if (jobs_.empty()) {
      return call_.responder.fail(
          {ErrorCode::kConflict,
           fmt::format("no job that was submitted since {} has run and ended: there is nothing to "
                       "replay",
                       format_time(since_))});
    }
    for (const replay::PastJob& one : jobs_) {
      const std::string& tenant = one.job.tenant;
      if (asked_.weights.contains(tenant)) continue;
      asked_.weights[tenant] = context_.state().tenants().terms_of(tenant).weight;
    }
    auto work = [ticket = std::move(ticket_), responder = call_.responder, gone = gone_,
                 asked = std::move(asked_), jobs = std::move(jobs_),
                 about = std::move(about_)](const std::atomic<bool>& over) mutable {
      const Boot until = read_clock().boot + kTimeMost;
      bool late = false;
      asked.give_up = [&] {
        late = late || read_clock().boot >= until;
        return late || over.load() || gone->load();
      };
      const std::size_t count = jobs.size();
      Result<std::string> answer = what_if_json(asked, about, std::move(jobs));
      if (!answer && late) {
        answer =
            failure(ErrorCode::kTooLarge,
                    fmt::format("the replay of {} jobs was given up after {} s; ask about less "
                                "time (since_s)",
                                count, kTimeMost.count()));
      }
      return Background::Then([ticket, responder, answer = std::move(answer)] {
        if (!answer) return responder.fail(answer.error());
        responder.send(json_response(*answer));
      });
    };
    if (auto begun = context_.replays.run(uid(), std::move(work)); !begun) {
      call_.responder.fail(begun.error());
    }
  }

  Context& context_;
  Call call_;
  replay::WhatIf asked_;
  Wall since_;
  std::pair<Wall, JobId> at_;  // The last one looked at.
  std::vector<replay::PastJob> jobs_;
  WhatIfAbout about_;
  Tickets::Ticket ticket_;
  std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

void send_what_if(Context& context, const Call& call, replay::WhatIf asked, Wall since) {
  std::make_shared<Asking>(context, call, std::move(asked), since)->start();
}

}  // namespace gpusched
