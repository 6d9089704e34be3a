// POST /v1/gpus/{number}/drain and /undrain
#include <utility>

#include "api/answers.h"
#include "api/gpus_json.h"
#include "api/routes/routes.h"
#include "base/number.h"
#include "json/json_fields.h"
#include "json/json_writer.h"

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
  Result<JsonValue> value = parse_json(body);
  if (!value) return failure(value.error());
  Fields fields(*value);
  std::string reason;
  fields.text("reason", reason);
  if (reason.size() > kReasonMost) fields.fault("reason", "is too long");
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  return reason;
}

void answer_with_cards(Context& context, const Call& call, const Result<Answer>& answer) {
  if (!answer) return call.responder.fail(answer.error());
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).key("cards");
  write_cards(json, context.state(), nullptr);
  if (call.dry_run) json.field("dry_run", true);
  json.end_object();
  call.responder.send(json_response(std::move(out)));
}

}  // namespace

void drain_gpu(Context& context, Call call) {
  const auto number = parse_number(call.captured.at(0));
  if (!number) return call.responder.fail(number.error());
  auto reason = parse_reason(call.request.body);
  if (!reason) return call.responder.fail(reason.error());
  ask_engine(
      context, call, DrainAsked{call.actor, {*number}, std::move(*reason)},
      [&context, call](const Result<Answer>& answer) { answer_with_cards(context, call, answer); });
}

void undrain_gpu(Context& context, Call call) {
  const auto number = parse_number(call.captured.at(0));
  if (!number) return call.responder.fail(number.error());
  ask_engine(
      context, call, UndrainAsked{call.actor, {*number}},
      [&context, call](const Result<Answer>& answer) { answer_with_cards(context, call, answer); });
}

}  // namespace gpusched
