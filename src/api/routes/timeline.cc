// GET /v1/timeline
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "api/answers.h"
#include "api/routes/routes.h"
#include "api/timeline_rows.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

// A plan that is older is made again before it is shown.
constexpr Microseconds kPlanFreshEnough = Seconds{1};

// Put together on the loop, as far as that needs the state; the many rows beside it.
struct TimelineWork {
  Tickets::Ticket ticket;
  wire::Timeline answer;
  std::vector<PastSpan> under_way, over;
  NameRights names;
};

void send_timeline(Context& context, const Call& call, const std::shared_ptr<TimelineWork>& work) {
  context.parser.post(call.actor.account(), [call, work]() -> Background::Then {
    fill_in_spans(std::move(work->under_way), std::move(work->over), work->names, work->answer);
    auto text = std::make_shared<std::string>(wire::to_json(work->answer));
    return [call, text] { call.responder.send(json_response(std::move(*text))); };
  });
}

// REQUIRES: no commit is under way.
void tell_timeline(Context& context, const Call& call, const TimelineAsked& asked,
                   Tickets::Ticket ticket) {
  const Veil veil(context, call.actor);
  auto work = std::make_shared<TimelineWork>();
  work->ticket = std::move(ticket);
  work->names = {call.actor, context.limits.arguments_for_all};
  // First what goes on: what ends meanwhile is then in the past, and nothing falls between.
  work->answer = timeline_now(context, asked, veil);
  work->under_way = spans_now(context, asked, veil);
  context.ports.read_past(
      past_part_of(asked, veil, call.actor), [&context, call, asked, work](Result<Past> past) {
        if (!past) return call.responder.fail(past.error());
        take_others(*past, asked, context, Veil(context, call.actor), work->answer);
        work->over = std::move(past->spans);
        work->answer.left_out = past->left_out;
        work->answer.known_since = past->known_since;
        send_timeline(context, call, work);
      });
}

}  // namespace

void get_timeline(Context& context, Call call) {
  const Result<TimelineAsked> asked = parse_timeline(call.request.query, context.now().wall);
  if (!asked) return call.responder.fail(asked.error());
  if (asked->card && !context.state().index_of(*asked->card)) {
    return call.responder.fail(
        {ErrorCode::kNotFound, fmt::format("there is no card {}", number_of(*asked->card))});
  }
  const Result<Tickets::Ticket> ticket = context.past_reads.take(call.actor.account());
  if (!ticket) return call.responder.fail(ticket.error());
  context.estimates.when_fresh(
      kPlanFreshEnough, [&context, call, asked = *asked, ticket = *ticket] {
        context.after_commit.run(call.actor.account(), [&context, call, asked, ticket] {
          tell_timeline(context, call, asked, ticket);
        });
      });
}

}  // namespace gpusched
