// POST /v1/jobs, POST /v1/preview
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "api/answers.h"
#include "api/job_rows.h"
#include "api/outlook.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "core/apply/apply.h"
#include "core/apply/submit_warning.h"
#include "json/json_writer.h"
#include "wire/environment.h"
#include "wire/message_json.h"
#include "wire/messages/jobs.h"
#include "wire/submit.h"

namespace gpusched {
namespace {

// Parsing more than this is left to the worker thread.
constexpr std::size_t kParsedOnTheLoop = 16U << 10;

bool is_lines(const HttpRequest& request) {
  const auto type = request.headers.find("content-type");
  return type != request.headers.end() && type->second.starts_with("application/x-ndjson");
}

wire::SubmittedJobs answer_of(const Context& context, const Call& call,
                              const Submitted& submitted) {
  wire::SubmittedJobs answer{.first = number_of(submitted.first),
                             .last = number_of(submitted.first) + submitted.count - 1,
                             .count = submitted.count,
                             .repeated = submitted.repeated,
                             .dry_run = call.dry_run};
  const Job* first = call.dry_run ? nullptr : context.state().find(submitted.first);
  if (first != nullptr) {
    // Of an array the first speaks for all.
    answer.warning =
        Veil(context, call.actor).over(submit_warning(context.state(), *first, context.now()));
  }
  return answer;
}

std::string submitted_json(const Context& context, const Call& call, const Submitted& submitted) {
  const Job* job = submitted.count == 1 ? context.state().find(submitted.first) : nullptr;
  std::string out;
  JsonWriter json(out);
  wire::write_message(json, answer_of(context, call, submitted), [&](std::string_view name) {
    if (name != "jobs" || job == nullptr) return false;
    json.key(name).begin_array();
    RowWriter(context, call.actor).row(json, *job);
    json.end_array();
    return true;
  });
  return out;
}

std::uint64_t bytes_of(const std::vector<std::string>& texts) {
  std::uint64_t bytes = 0;
  for (const std::string& text : texts) bytes += sizeof(text) + text.size();
  return bytes;
}

// Keeps it, and counts it as its user's.
std::shared_ptr<const JobSpec> keep(Context& context, std::uint32_t uid, JobSpec spec) {
  const auto count = [&](std::shared_ptr<const Environment> fresh) {
    const std::uint64_t bytes = bytes_of(fresh->variables);
    return context.spec_memory.hold(std::move(fresh), uid, bytes);
  };
  spec.environment = context.environments.share(spec.environment, count);
  const std::uint64_t bytes = bytes_of(spec.argv) + bytes_of(spec.extras->variables);
  return context.spec_memory.hold(std::make_shared<const JobSpec>(std::move(spec)), uid, bytes);
}

// Those of its jobs that a preview shows.
SubmitAsked first_of(const SubmitAsked& asked) {
  constexpr std::size_t kShown = 3;
  SubmitAsked some;
  some.actor = asked.actor;
  some.owner = asked.owner;
  some.tenant = asked.tenant;
  some.spec = asked.spec;
  some.priority = asked.priority;
  some.hold = asked.hold;
  some.array = asked.array;
  const std::size_t count = std::min(asked.tasks.size(), kShown);
  some.tasks.assign(asked.tasks.begin(), asked.tasks.begin() + static_cast<std::ptrdiff_t>(count));
  return some;
}

// How a submission that is only tried is answered.
using SendTried = void (*)(Context&, const Call&, TriedSubmission);

void ask(Context& context, const Call& call, SubmitBody body, SendTried send_tried) {
  if (const auto error = Veil(context, call.actor).refuses(body.spec.extras->after)) {
    return call.responder.fail(*error);
  }
  body.spec.limits = context.environments.share(body.spec.limits);
  body.spec.group = group_for(context.state(), call.actor.user, body.spec.group);
  SubmitAsked asked;
  asked.actor = call.actor;
  asked.owner = call.actor.identity();
  asked.tenant = call.actor.tenant;
  asked.spec = keep(context, call.actor.account(), std::move(body.spec));
  if (context.spec_memory.of(call.actor.account()) > SpecMemory::kMostOfOneUser &&
      !may(call.actor, Action::kExceedLimits)) {
    return call.responder.fail(
        {ErrorCode::kBusy,
         "commands and environments of your jobs take 256 MiB of the daemon's "
         "memory; submit more when some of them have ended"});
  }
  asked.priority = body.priority;
  asked.hold = body.hold;
  asked.fingerprint = std::move(body.fingerprint);
  asked.array = body.array;
  asked.total = body.tasks.size();
  asked.tasks = std::move(body.tasks);
  auto tried = std::make_shared<SubmitAsked>();
  if (call.dry_run) *tried = first_of(asked);
  ask_engine(context, call, std::move(asked),
             [&context, call, tried, send_tried](Result<Answer> answer) {
               if (!answer) return call.responder.fail(answer.error());
               const auto* submitted = std::get_if<Submitted>(&*answer);
               if (submitted == nullptr) {
                 return call.responder.fail({ErrorCode::kInternal, "the submission got no answer"});
               }
               if (call.dry_run) {
                 return send_tried(context, call,
                                   {answer_of(context, call, *submitted), std::move(*tried)});
               }
               call.responder.send(json_response(submitted_json(context, call, *submitted)));
             });
}

void take_body(Context& context, const Call& call, Result<SubmitBody> body, SendTried send_tried) {
  if (!body) return call.responder.fail(body.error());
  // Shared, because a function object must be copyable.
  auto kept = std::make_shared<SubmitBody>(std::move(*body));
  with_named_actor(context, call, [&context, kept, send_tried](const Call& named) {
    ask(context, named, std::move(*kept), send_tried);
  });
}

void take_submission(Context& context, Call call, SendTried send_tried) {
  const SubmitLimits limits{.tasks_most = context.limits.submission_jobs_most,
                            .grace = context.limits.default_grace,
                            .retry_back_off = context.limits.default_retry_back_off,
                            .key = idempotency_key(call.request).value_or("")};
  const auto parse = [lines = is_lines(call.request)](std::string_view text,
                                                      const SubmitLimits& within) {
    return lines ? parse_submit_lines(text, within) : parse_submit(text, within);
  };
  auto body = std::make_shared<std::string>(std::move(call.request.body));
  if (body->size() <= kParsedOnTheLoop) {
    return take_body(context, call, parse(*body, limits), send_tried);
  }
  context.parser.post(call.actor.account(),
                      [&context, call, parse, limits, body, send_tried]() -> Background::Then {
                        auto parsed = std::make_shared<Result<SubmitBody>>(parse(*body, limits));
                        // A large environment is named here, not on the loop.
                        if (*parsed) {
                          auto& environment = (*parsed)->spec.environment;
                          environment = make_environment(environment->variables);
                        }
                        body->clear();
                        body->shrink_to_fit();
                        return [&context, call, parsed, send_tried] {
                          take_body(context, call, std::move(*parsed), send_tried);
                        };
                      });
}

}  // namespace

void submit_jobs(Context& context, Call call) {
  take_submission(context, std::move(call), send_with_outlook);
}

void preview_jobs(Context& context, Call call) {
  call.dry_run = true;
  take_submission(context, std::move(call), send_outlook);
}

}  // namespace gpusched
