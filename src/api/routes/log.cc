// GET /v1/jobs/{id}/log, /v1/jobs/{id}/log/search
#include <fmt/format.h>

#include <utility>

#include "api/answers.h"
#include "api/log_search.h"
#include "api/log_stream.h"
#include "api/routes/routes.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kAttemptMost = 1'000'000;
constexpr std::uint64_t kMatchesMost = 1'000;

using Query = std::map<std::string, std::string>;

// Which of a job's logs.
Result<LogAsked> parse_which(const Query& query) {
  LogAsked asked;
  Result<std::optional<std::uint64_t>> attempt = query_number(query, "attempt", kAttemptMost);
  if (!attempt) return failure(attempt.error());
  if (*attempt) {
    if (**attempt == 0) return failure(ErrorCode::kInvalid, "attempts are counted from 1");
    asked.attempt = static_cast<int>(**attempt);
  }
  if (const auto stream = query.find("stream"); stream != query.end()) {
    if (stream->second != "output" && stream->second != "error") {
      return failure(ErrorCode::kInvalid, "stream must be output or error");
    }
    asked.stream = stream->second == "error" ? LogStream::kError : LogStream::kOutput;
  }
  return asked;
}

Result<LogAsked> parse_log_query(const Query& query) {
  Result<LogAsked> which = parse_which(query);
  if (!which) return which;
  LogAsked asked = *which;
  Result<std::optional<std::uint64_t>> offset = query_number(query, "offset", INT64_MAX);
  if (!offset) return failure(offset.error());
  asked.offset = offset->value_or(0);
  Result<std::optional<std::uint64_t>> tail = query_number(query, "tail", INT64_MAX);
  if (!tail) return failure(tail.error());
  asked.tail = *tail;
  Result<std::optional<std::uint64_t>> most = query_number(query, "most", INT64_MAX);
  if (!most) return failure(most.error());
  asked.most = *most;
  Result<std::optional<std::uint64_t>> follow = query_number(query, "follow", 1);
  if (!follow) return failure(follow.error());
  asked.follow = follow->value_or(0) == 1;
  if (asked.follow && asked.most) {
    return failure(ErrorCode::kInvalid, "follow goes on until the attempt has ended; most ends it");
  }
  return asked;
}

Result<LogSearch> parse_search(const Query& query) {
  LogSearch search;
  const auto text = query.find("text");
  if (text == query.end() || text->second.empty()) {
    return failure(ErrorCode::kInvalid, "text says what to look for; it is missing or empty");
  }
  search.text = text->second;
  if (search.text.size() > kLogTextMost) {
    return failure(ErrorCode::kInvalid, fmt::format("text has {} bytes; at most {} are looked for",
                                                    search.text.size(), kLogTextMost));
  }
  if (search.text.find('\n') != std::string::npos) {
    return failure(ErrorCode::kInvalid, "text has a line break; lines are searched one by one");
  }
  const auto from = query_number(query, "from", INT64_MAX);
  if (!from) return failure(from.error());
  search.from = from->value_or(0);
  const auto limit = query_number(query, "limit", kMatchesMost);
  if (!limit) return failure(limit.error());
  if (*limit == 0U) return failure(ErrorCode::kInvalid, "limit must be at least 1");
  if (*limit) search.matches_most = static_cast<std::size_t>(**limit);
  const auto ignore_case = query_number(query, "ignore_case", 1);
  if (!ignore_case) return failure(ignore_case.error());
  search.ignore_case = ignore_case->value_or(0) == 1;
  return search;
}

// False: it is answered already. Who may not read the log is refused alike by both routes.
bool find_log(Context& context, const Call& call, LogAsked& asked) {
  Result<const Job*> job = selected_job(context, call);
  Result<void> may_read =
      job ? may_read_log(call.actor, **job) : Result<void>(failure(job.error()));
  if (may_read) {
    asked.job = (*job)->id;
  } else {
    call.responder.fail(may_read.error());
  }
  return may_read.has_value();
}

}  // namespace

void get_log(Context& context, Call call) {
  Result<LogAsked> asked = parse_log_query(call.request.query);
  if (!asked) return call.responder.fail(asked.error());
  if (!find_log(context, call, *asked)) return;
  context.lasting.add(call.actor, call.responder);
  send_log(context, *asked, call.responder);
}

void search_job_log(Context& context, Call call) {
  Result<LogAsked> asked = parse_which(call.request.query);
  if (!asked) return call.responder.fail(asked.error());
  // Before what is looked for: a job that is not seen is as one that is not there.
  if (!find_log(context, call, *asked)) return;
  const Result<LogSearch> search = parse_search(call.request.query);
  if (!search) return call.responder.fail(search.error());
  const Result<Tickets::Ticket> ticket = context.log_searches.take(call.actor.account());
  if (!ticket) return call.responder.fail(ticket.error());
  send_log_matches(context, *asked, *search, call.responder, *ticket);
}

}  // namespace gpusched
