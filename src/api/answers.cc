#include "api/answers.h"

#include <fmt/format.h>

#include <utility>

#include "core/preview.h"
#include "engine/refusal_error.h"
#include "json/json_writer.h"

namespace gpusched {

Result<std::vector<JobId>> selected_jobs(const Context& context, const Call& call) {
  Result<Selector> selector = parse_selector(call.captured.at(0));
  if (!selector) return failure(selector.error());
  Result<JobFilter> filter = parse_filter(call.request.query);
  if (!filter) return failure(filter.error());
  return resolve_selector(context.state(), *selector, *filter, call.actor);
}

void write_problems(JsonWriter& json, const Context& context) {
  json.key("problems").begin_array();
  if (context.ports.problems) {
    for (const std::string& problem : context.ports.problems()) json.value(problem);
  }
  json.end_array();
}

Result<const Job*> selected_job(const Context& context, const Call& call) {
  Result<std::vector<JobId>> ids = selected_jobs(context, call);
  if (!ids) return failure(ids.error());
  if (ids->size() != 1) {
    return failure(ErrorCode::kInvalid, fmt::format("this needs one job, but \"{}\" names {}",
                                                    call.captured[0].substr(0, 80), ids->size()));
  }
  return context.state().find(ids->front());
}

void ask_engine(Context& context, const Call& call, Event event, AnswerFn answer) {
  if (!call.dry_run) {
    if (auto* submit = std::get_if<SubmitAsked>(&event)) {
      context.engine.submit(std::move(*submit), std::move(answer));
    } else if (auto* leases = std::get_if<LeasesAsked>(&event)) {
      context.engine.ask_leases(std::move(*leases), std::move(answer));
    } else {
      context.engine.post(std::move(event), std::move(answer));
    }
    return;
  }
  Answer would = preview(context.state(), event, context.now());
  if (const auto* refusal = std::get_if<Refusal>(&would))
    return answer(failure(error_of(*refusal)));
  answer(std::move(would));
}

std::string changed_json(const Changed& changed, bool dry_run) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).key("changed").begin_array();
  for (const JobId id : changed.jobs) json.value(id);
  json.end_array().key("unchanged").begin_array();
  for (const auto& [id, why] : changed.unchanged) {
    json.begin_object().field("id", id).field("why", why).end_object();
  }
  json.end_array();
  if (dry_run) json.field("dry_run", true);
  json.end_object();
  return out;
}

void with_account(Context& context, const Call& call, std::uint32_t uid,
                  std::function<void(const std::string& user)> then) {
  context.names.resolve(uid, [&context, call, uid, then](const std::string& name) {
    if (!name.empty()) return then(name);
    if (uid == 0 || uid == context.ports.daemon_uid) return then(std::to_string(uid));
    call.responder.fail({ErrorCode::kForbidden,
                         fmt::format("user {} has no account on this machine, and jobs belong to "
                                     "accounts",
                                     uid)});
  });
}

}  // namespace gpusched
