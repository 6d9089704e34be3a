// POST /v1/gpus/{number}/drain and /undrain
#include <utility>

#include "api/answers.h"
#include "api/cards_answer.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "base/number.h"
#include "os/log.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

constexpr std::size_t kReasonMost = 1000;

Result<CardNumber> parse_number(const std::string& text) {
  std::uint16_t number = 0;
  if (!whole_number(text, number)) {
    return failure(ErrorCode::kInvalid, "'" + text + "' is not the number of a card");
  }
  return CardNumber{number};
}

Result<std::string> parse_reason(const std::string& body) {
  if (body.empty()) return std::string();
  auto asked = wire::read_request<wire::DrainRequest>(body);
  if (!asked) return failure(asked.error());
  if (asked->reason.size() > kReasonMost) {
    return failure(ErrorCode::kInvalid, "reason is too long");
  }
  return std::move(asked->reason);
}

void answer_with_cards(Context& context, const Call& call, const Result<Answer>& answer,
                       const char* what) {
  if (!answer) return call.responder.fail(answer.error());
  if (!call.dry_run) {
    log_info(what, {{"card", call.captured.at(0)},
                    {"uid", call.actor.account()},
                    {"token", call.actor.token}});
  }
  const wire::Drained drained{
      .cards = cards_of(context.state(), nullptr, Veil(context, call.actor)),
      .dry_run = call.dry_run};
  call.responder.send(json_response(wire::to_json(drained)));
}

}  // namespace

void drain_gpu(Context& context, Call call) {
  const auto number = parse_number(call.captured.at(0));
  if (!number) return call.responder.fail(number.error());
  auto reason = parse_reason(call.request.body);
  if (!reason) return call.responder.fail(reason.error());
  ask_engine(context, call, DrainAsked{call.actor, {*number}, std::move(*reason)},
             [&context, call](const Result<Answer>& answer) {
               answer_with_cards(context, call, answer, "somebody drained a card");
             });
}

void undrain_gpu(Context& context, Call call) {
  const auto number = parse_number(call.captured.at(0));
  if (!number) return call.responder.fail(number.error());
  ask_engine(context, call, UndrainAsked{call.actor, {*number}},
             [&context, call](const Result<Answer>& answer) {
               answer_with_cards(context, call, answer, "somebody put a card back into service");
             });
}

}  // namespace gpusched
