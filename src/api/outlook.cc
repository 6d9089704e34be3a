#include "api/outlook.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/answers.h"
#include "core/apply/outlook.h"
#include "json/json_writer.h"

namespace gpusched {
namespace {

std::vector<std::string> first_commands(const SubmitAsked& asked) {
  std::vector<std::string> commands;
  Job job;
  job.spec = asked.spec;
  for (const SubmitAsked::Task& task : asked.tasks) {
    if (asked.array) {
      job.task = std::make_shared<ArrayTask>(ArrayTask{JobId{1}, task.index, task.values});
    }
    commands.push_back(command_line_of(job));
  }
  return commands;
}

void write_outlook(JsonWriter& json, const Outlook& outlook, const std::vector<Card>& cards) {
  json.field("starts_now", outlook.grant.has_value()).key("gpus").begin_array();
  for (const CardGrant& held : outlook.grant ? outlook.grant->cards : std::vector<CardGrant>()) {
    const auto card = std::ranges::find(cards, held.card, &Card::number);
    json.begin_object().field("number", number_of(held.card));
    json.key("uuid").text_or_null(card == cards.end() ? std::string_view{} : card->uuid);
    json.field("vram_bytes", held.vram_bytes).field("whole", held.whole).end_object();
  }
  json.end_array().key("reasons").begin_array();
  for (const Reason& reason : outlook.reasons) {
    json.begin_object().field("code", reason_code_name(reason.code));
    json.field("message", describe(reason)).key("helps").text_or_null(what_would_help(reason));
    json.end_object();
  }
  json.end_array();
  std::optional<Wall> likely;
  std::optional<Wall> latest;
  if (outlook.start) {
    likely = outlook.start->likely;
    latest = outlook.start->latest;
  }
  json.field("estimated_start", likely).field("latest_start", latest);
  json.key("start_unknown").text_or_null(outlook.start_unknown);
}

}  // namespace

void send_with_outlook(Context& context, const Call& call, std::string head, SubmitAsked asked) {
  // Shared, because a function object must be copyable.
  struct Work {
    std::string head;
    SubmitAsked asked;
    Excerpt excerpt;
    std::vector<Card> cards;
  };
  auto work = std::make_shared<Work>(
      Work{std::move(head), std::move(asked),
           excerpt_of(context.state(), kLookedAheadMost, context.now()), context.state().cards()});
  context.parser.post(call.actor.account(), [call, work]() -> Background::Then {
    const std::vector<std::string> commands = first_commands(work->asked);
    const Outlook outlook = outlook_of(std::move(work->excerpt), std::move(work->asked));
    auto out = std::make_shared<std::string>(std::move(work->head));
    std::string preview;
    JsonWriter json(preview);
    json.begin_object().key("commands").begin_array();
    for (const std::string& command : commands) json.value(command);
    json.end_array();
    write_outlook(json, outlook, work->cards);
    json.end_object();
    *out += ",\"preview\":" + preview + "}";
    return [call, out] { call.responder.send(json_response(std::move(*out))); };
  });
}

}  // namespace gpusched
