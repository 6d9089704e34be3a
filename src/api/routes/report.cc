// GET /v1/report
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "api/report.h"
#include "api/routes/routes.h"
#include "api/selector.h"
#include "api/veil.h"
#include "base/text.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

constexpr Seconds kUsualRange{7 * 24 * 3600};
// Jobs added up in one go: about a millisecond.
constexpr std::size_t kJobsPerPiece = 5000;

Result<ReportAsked> parse_asked(const std::map<std::string, std::string>& query, Wall now) {
  ReportAsked asked{.by = ReportBy::kUser, .since = now - kUsualRange, .until = now};
  if (const auto by = query.find("by"); by != query.end()) {
    if (by->second != "user" && by->second != "card") {
      return failure(ErrorCode::kInvalid, "by must be user or card");
    }
    if (by->second == "card") asked.by = ReportBy::kCard;
  }
  if (const auto since = query.find("since"); since != query.end()) {
    const auto moment = parse_since(since->second, now);
    if (!moment) return failure(moment.error());
    asked.since = *moment;
  }
  return asked;
}

// Adds up piece by piece, so that nobody else waits for a long list; the answer is written last.
class ReportStream {
 public:
  ReportStream(Context& context, const Principal& actor, const ReportAsked& asked)
      : context_(context), actor_(actor), report_(asked), at_(asked.since, JobId{}) {}

  // REQUIRES: no commit is under way.
  Pull next(std::string& out) {
    const StateView& state = context_.state();
    const Veil veil(context_, actor_);
    std::size_t looks = kJobsPerPiece;
    for (auto it = state.ended().upper_bound(at_); it != state.ended().end(); ++it) {
      if (looks-- == 0) return Pull::kMore;
      at_ = *it;
      const Job& job = *state.find(it->second);
      if (veil.sees(job)) report_.add_ended(job);
    }
    for (const JobId id : state.active()) {
      const Job& job = *state.find(id);
      if (veil.sees(job)) report_.add_running(job, state.seen().uses.of(job.current_attempt()));
    }
    out += wire::to_json(report_.answer(state));
    return Pull::kEnd;
  }

  Pull pull(const Responder& responder, std::string& out) {
    if (!context_.after_commit.must_wait()) return next(out);
    context_.after_commit.run_later(kNobody, [responder] { responder.wake(); });
    return Pull::kWait;
  }

 private:
  Context& context_;
  Principal actor_;
  Report report_;
  std::pair<Wall, JobId> at_;  // The last one added.
};

}  // namespace

void get_report(Context& context, Call call) {
  const auto asked = parse_asked(call.request.query, context.now().wall);
  if (!asked) return call.responder.fail(asked.error());
  auto stream = std::make_shared<ReportStream>(context, call.actor, *asked);
  std::string whole;
  if (stream->next(whole) == Pull::kEnd) {
    return call.responder.send(json_response(std::move(whole)));
  }
  HttpResponse response;
  response.stream = [stream, responder = call.responder](std::string& out) {
    return stream->pull(responder, out);
  };
  call.responder.send(std::move(response));
}

}  // namespace gpusched
