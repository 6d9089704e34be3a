// GET /v1/events
#include <fmt/format.h>

#include <utility>

#include "api/answers.h"
#include "api/event_stream.h"
#include "api/followed_log.h"
#include "api/log_stream.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "base/text.h"

namespace gpusched {
namespace {

constexpr std::size_t kLogsPerStream = 16;
constexpr std::string_view kLogTopic = "logs:";

Result<void> read_log_topic(const Context& context, std::string_view text, EventsAsked& asked) {
  Result<LogPlace> place = parse_log_place(text);
  if (!place) return failure(place.error());
  const Job* job = context.state().find(place->job);
  if (job == nullptr || !Veil(context, asked.actor).sees(*job)) {
    return failure(ErrorCode::kNotFound, fmt::format("there is no job {}", number_of(place->job)));
  }
  if (Result<void> may_read = may_read_log(asked.actor, *job); !may_read) return may_read;
  for (const LogPlace& other : asked.logs) {
    if (other.job == place->job) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("topics has the log of job {} twice", number_of(place->job)));
    }
  }
  if (asked.logs.size() == kLogsPerStream) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("one stream has at most {} logs", kLogsPerStream));
  }
  asked.logs.push_back(*place);
  return {};
}

// `topics=jobs,cards,alarms,logs:7`; without it jobs alone.
Result<void> read_topics(const Context& context, const std::map<std::string, std::string>& query,
                         EventsAsked& asked) {
  const auto it = query.find("topics");
  if (it == query.end()) return {};
  asked.rows = false;
  for (const std::string_view topic : split(it->second, ',')) {
    if (topic == "jobs") {
      asked.rows = true;
    } else if (topic == "cards") {
      asked.cards = true;
    } else if (topic == "alarms") {
      asked.alarms = true;
    } else if (topic.starts_with(kLogTopic)) {
      auto log = read_log_topic(context, topic.substr(kLogTopic.size()), asked);
      if (!log) return log;
    } else {
      return failure(
          ErrorCode::kInvalid,
          fmt::format("topics has \"{}\"; the topics are jobs, cards, alarms and logs:ID",
                      topic.substr(0, 40)));
    }
  }
  return {};
}

// The id of an event that a client has seen last: a sequence, and of a stream with logs how far it
// was in each: "812,7.1.4096". What it follows no more is passed over.
Result<void> read_last_id(std::string_view text, EventsAsked& asked) {
  const std::vector<std::string_view> parts = split(text, ',');
  const std::map<std::string, std::string> query = {{"Last-Event-ID", std::string(parts[0])}};
  Result<std::optional<std::uint64_t>> after = query_number(query, "Last-Event-ID", INT64_MAX);
  if (!after) return failure(after.error());
  asked.after = *after;
  for (const std::string_view part : std::span(parts).subspan(1)) {
    const Result<LogPlace> seen = parse_log_place(part);
    if (!seen) return failure(seen.error());
    for (LogPlace& log : asked.logs) {
      if (log.job == seen->job) log = *seen;
    }
  }
  return {};
}

}  // namespace

void stream_events(Context& context, Call call) {
  const std::map<std::string, std::string>& query = call.request.query;
  Result<std::optional<std::uint64_t>> after = query_number(query, "after", INT64_MAX);
  if (!after) return call.responder.fail(after.error());
  EventsAsked asked{call.actor, *after, std::nullopt};
  if (Result<void> topics = read_topics(context, query, asked); !topics) {
    return call.responder.fail(topics.error());
  }
  // A client that comes back says so in a header; that is newer than what its address says.
  if (const auto last = call.request.headers.find("last-event-id");
      last != call.request.headers.end() && !last->second.empty()) {
    if (Result<void> read = read_last_id(last->second, asked); !read) {
      return call.responder.fail(read.error());
    }
  }
  const auto jobs = query.find("jobs");
  if (jobs != query.end() && jobs->second == "all") {
    asked.own = true;
  } else if (jobs != query.end()) {
    call.captured = {jobs->second};
    Result<std::vector<JobId>> ids = selected_jobs(context, call);
    if (!ids) return call.responder.fail(ids.error());
    asked.jobs.emplace(ids->begin(), ids->end());
  }
  context.events->open(context, std::move(asked), call.responder);
}

}  // namespace gpusched
