#include "api/log_search.h"

#include <utility>

#include "jobdir/log_file.h"
#include "wire/message_json.h"
#include "wire/messages/log.h"

namespace gpusched {
namespace {

std::string answer_of(AttemptId attempt, LogFound found) {
  wire::LogMatches answer{.job = number_of(attempt.job),
                          .attempt = attempt.number,
                          .size = found.size,
                          .matches = {},
                          .next = found.next};
  for (LogMatch& match : found.matches) {
    answer.matches.push_back({match.line_at, std::move(match.shown), match.shown_at, match.at});
  }
  return wire::to_json(answer);
}

}  // namespace

void send_log_matches(Context& context, const LogAsked& asked, const LogSearch& search,
                      const Responder& responder, const Tickets::Ticket& ticket) {
  const Job* job = context.state().find(asked.job);
  if (job == nullptr) return responder.fail({ErrorCode::kNotFound, "the job is gone"});
  const Result<LogOfAttempt> log = log_of(*job, asked.attempt, asked.stream);
  if (!log) return responder.fail(log.error());
  context.files.post(
      job->owner.uid,
      [responder, search, ticket, log = *log, stream = asked.stream, owner = job->owner,
       to_come = log_is_to_come(*job, log->attempt),
       directory = context.ports.state_directory]() -> Background::Then {
        const auto file = open_log(directory, log.attempt, stream, log.path, owner);
        auto found = file ? search_log(file->get(), search) : failure(file.error());
        if (!file && to_come && file.error().code == ErrorCode::kNotFound) found = LogFound{};
        if (!found) return [responder, error = found.error()] { responder.fail(error); };
        auto text = std::make_shared<std::string>(answer_of(log.attempt, std::move(*found)));
        return [responder, text] { responder.send(json_response(std::move(*text))); };
      });
}

}  // namespace gpusched
