// GET /v1/jobs/{id}/log
#include <utility>

#include "api/answers.h"
#include "api/log_stream.h"
#include "api/routes/routes.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kAttemptMost = 1'000'000;

Result<LogAsked> parse_log_query(const std::map<std::string, std::string>& query) {
  LogAsked asked;
  Result<std::optional<std::uint64_t>> attempt = query_number(query, "attempt", kAttemptMost);
  if (!attempt) return failure(attempt.error());
  if (*attempt) {
    if (**attempt == 0) return failure(ErrorCode::kInvalid, "attempts are counted from 1");
    asked.attempt = static_cast<int>(**attempt);
  }
  Result<std::optional<std::uint64_t>> offset = query_number(query, "offset", INT64_MAX);
  if (!offset) return failure(offset.error());
  asked.offset = offset->value_or(0);
  Result<std::optional<std::uint64_t>> tail = query_number(query, "tail", INT64_MAX);
  if (!tail) return failure(tail.error());
  asked.tail = *tail;
  Result<std::optional<std::uint64_t>> follow = query_number(query, "follow", 1);
  if (!follow) return failure(follow.error());
  asked.follow = follow->value_or(0) == 1;
  if (const auto stream = query.find("stream"); stream != query.end()) {
    if (stream->second != "output" && stream->second != "error") {
      return failure(ErrorCode::kInvalid, "stream must be output or error");
    }
    asked.stream = stream->second == "error" ? LogStream::kError : LogStream::kOutput;
  }
  return asked;
}

}  // namespace

void get_log(Context& context, Call call) {
  Result<LogAsked> asked = parse_log_query(call.request.query);
  if (!asked) return call.responder.fail(asked.error());
  Result<const Job*> job = selected_job(context, call);
  if (!job) return call.responder.fail(job.error());
  if (Result<void> may_read = may_read_log(call.actor, **job); !may_read) {
    return call.responder.fail(may_read.error());
  }
  asked->job = (*job)->id;
  context.lasting.add(call.actor, call.responder);
  send_log(context, *asked, call.responder);
}

}  // namespace gpusched
