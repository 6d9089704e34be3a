// GET /v1/gpus/history and GET /v1/jobs/{id}/history
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/answers.h"
#include "api/routes/routes.h"
#include "base/text.h"
#include "json/json_writer.h"

namespace gpusched {
namespace {

constexpr Seconds kRangeUsual{3'600};
constexpr Seconds kRangeMost{3'660LL * 86'400};
constexpr std::uint64_t kPointsMost = 4'000;

using Query = std::map<std::string, std::string>;

Result<std::optional<Seconds>> query_duration(const Query& query, const char* name) {
  const auto it = query.find(name);
  if (it == query.end()) return std::optional<Seconds>{};
  const Result<Seconds> duration = parse_duration(it->second);
  if (!duration) {
    return failure(ErrorCode::kInvalid, fmt::format("{}: {}", name, duration.error().message));
  }
  if (*duration < Seconds{1} || *duration > kRangeMost) {
    return failure(ErrorCode::kInvalid, fmt::format("{} must be from 1s to 3660d", name));
  }
  return std::optional<Seconds>(*duration);
}

// What both routes take; without `range` the span is left to the caller.
Result<history::Question> question_of(const Query& query, Wall now) {
  history::Question question;
  const auto range = query_duration(query, "range");
  if (!range) return failure(range.error());
  const auto step = query_duration(query, "step");
  if (!step) return failure(step.error());
  const auto points = query_number(query, "points", kPointsMost);
  if (!points) return failure(points.error());
  const auto card = query_number(query, "card", UINT16_MAX);
  if (!card) return failure(card.error());
  if (*points == 0U) return failure(ErrorCode::kInvalid, "points must be at least 1");
  question.to = now;
  question.from = now - range->value_or(kRangeUsual);
  question.step = *step;
  if (*points) question.points = static_cast<std::size_t>(**points);
  if (*card) question.card = static_cast<CardNumber>(**card);
  return question;
}

void write_series(JsonWriter& json, const std::vector<history::Series>& all) {
  json.key("series").begin_object();
  for (const history::Series& series : all) {
    json.key(series.name).begin_array();
    for (const std::optional<double>& value : series.values) {
      if (value && series.whole) {
        json.value(std::llround(*value));
      } else {
        json.value(value);
      }
    }
    json.end_array();
  }
  json.end_object();
}

void write_line(JsonWriter& json, const history::Line& line) {
  json.begin_object();
  if (line.uuid.empty()) {
    json.field("attempt", line.attempt.number);
  } else {
    json.key("number");
    line.number ? json.value(number_of(*line.number)) : json.null();
    json.field("uuid", line.uuid);
  }
  write_series(json, line.series);
  json.end_object();
}

std::string answer_json(const history::Answer& answer, std::optional<JobId> job) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1);
  if (job) json.field("id", *job);
  json.field("from", answer.from).field("to", answer.to).field("step_s", answer.step);
  json.key(job ? "attempts" : "cards").begin_array();
  for (const history::Line& line : answer.lines) write_line(json, line);
  json.end_array().end_object();
  return out;
}

// All the time that a job has run.
void span_job(const Job& job, history::Question& question) {
  std::optional<Wall> started;
  if (const auto* running = std::get_if<Running>(&job.state)) started = running->started_at;
  if (const auto* ended = std::get_if<Ended>(&job.state)) {
    started = ended->started_at;
    question.to = ended->ended_at;
  }
  // When earlier attempts began is in their history alone; none began before the submission.
  question.from = job.attempt <= 1 && started ? *started : job.submitted_at;
  question.to = std::max(question.from, question.to);
}

void ask(Context& context, const Call& call, const history::Question& question) {
  if (!context.ports.read_history) {
    return call.responder.fail({ErrorCode::kUnavailable, "this daemon keeps no history"});
  }
  context.ports.read_history(
      question, [responder = call.responder, job = question.job](Result<history::Answer> answer) {
        if (!answer) return responder.fail(answer.error());
        responder.send(json_response(answer_json(*answer, job)));
      });
}

}  // namespace

void get_card_history(Context& context, Call call) {
  const Result<history::Question> question = question_of(call.request.query, context.now().wall);
  if (!question) return call.responder.fail(question.error());
  if (question->card && !context.state().index_of(*question->card)) {
    return call.responder.fail(
        {ErrorCode::kNotFound, fmt::format("there is no card {}", number_of(*question->card))});
  }
  ask(context, call, *question);
}

void get_job_history(Context& context, Call call) {
  Result<history::Question> question = question_of(call.request.query, context.now().wall);
  if (!question) return call.responder.fail(question.error());
  const Result<const Job*> job = selected_job(context, call);
  if (!job) return call.responder.fail(job.error());
  question->job = (*job)->id;
  if (!call.request.query.contains("range")) span_job(**job, *question);
  ask(context, call, *question);
}

}  // namespace gpusched
