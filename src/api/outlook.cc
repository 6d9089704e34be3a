#include "api/outlook.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/answers.h"
#include "core/apply/outlook.h"
#include "core/model/placeholders.h"
#include "json/json_writer.h"

namespace gpusched {
namespace {

// What they share and what is their own, with placeholders filled in.
std::vector<Job> first_jobs(const SubmitAsked& asked) {
  std::vector<Job> jobs;
  Job job;
  job.spec = asked.spec;
  for (const SubmitAsked::Task& task : asked.tasks) {
    if (asked.array) {
      job.task = std::make_shared<ArrayTask>(ArrayTask{JobId{1}, task.index, task.values});
    }
    jobs.push_back(job);
  }
  return jobs;
}

void write_jobs(JsonWriter& json, const std::vector<Job>& jobs) {
  json.key("commands").begin_array();
  for (const Job& job : jobs) json.value(command_line_of(job));
  json.end_array().key("jobs").begin_array();
  for (const Job& job : jobs) {
    json.begin_object().key("name").text_or_null(name_of(job));
    json.field("working_directory", working_directory_of(job));
    json.key("output_path").text_or_null(output_path_of(job));
    json.key("error_path").text_or_null(error_path_of(job)).end_object();
  }
  json.end_array();
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
    const std::vector<Job> jobs = first_jobs(work->asked);
    const Outlook outlook = outlook_of(std::move(work->excerpt), std::move(work->asked));
    auto out = std::make_shared<std::string>(std::move(work->head));
    std::string preview;
    JsonWriter json(preview);
    json.begin_object();
    write_jobs(json, jobs);
    write_outlook(json, outlook, work->cards);
    json.end_object();
    if (!outlook.warning.empty()) {
      std::string warning;
      JsonWriter(warning).value(outlook.warning);
      *out += ",\"warning\":" + warning;
    }
    *out += ",\"preview\":" + preview + "}";
    return [call, out] { call.responder.send(json_response(std::move(*out))); };
  });
}

}  // namespace gpusched
