// POST /v1/jobs/{selector}/cancel|hold|release|pause|resume|disown|requeue and PATCH
// /v1/jobs/{selector}
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/answers.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "wire/message_json.h"
#include "wire/messages/jobs.h"
#include "wire/submit.h"

namespace gpusched {
namespace {

// So that they are moved in one turn.
constexpr std::size_t kMovedMost = 100;

// "all" of a verb that cannot change an ended job means those that have not ended; a job named by
// its number is answered for in any case.
Result<std::vector<JobId>> jobs_to_change(const Context& context, const Call& call) {
  Result<std::vector<JobId>> ids = selected_jobs(context, call);
  if (ids && call.captured[0] == "all" && !call.request.query.contains("state")) {
    std::erase_if(*ids, [&](JobId id) { return context.state().find(id)->ended(); });
  }
  return ids;
}

void ask(Context& context, const Call& call, Event event) {
  ask_engine(context, call, std::move(event), [call](Result<Answer> answer) {
    if (!answer) return call.responder.fail(answer.error());
    const auto* changed = std::get_if<Changed>(&*answer);
    call.responder.send(
        json_response(changed_json(changed == nullptr ? Changed{} : *changed, call.dry_run)));
  });
}

template <class Asked>
void ask_plain(Context& context, const Call& call, Result<std::vector<JobId>> ids) {
  // Nothing, or an empty object.
  if (!call.request.body.empty()) {
    const auto empty = wire::read_request<wire::EmptyRequest>(call.request.body);
    if (!empty) return call.responder.fail(empty.error());
  }
  if (!ids) return call.responder.fail(ids.error());
  ask(context, call, Asked{call.actor, std::move(*ids)});
}

Result<std::optional<Seconds>> parse_grace(const std::string& body) {
  if (body.empty()) return std::optional<Seconds>{};
  const auto asked = wire::read_request<wire::CancelRequest>(body);
  if (!asked) return failure(asked.error());
  return asked->grace;
}

}  // namespace

void cancel_jobs(Context& context, Call call) {
  Result<std::optional<Seconds>> grace = parse_grace(call.request.body);
  if (!grace) return call.responder.fail(grace.error());
  Result<std::vector<JobId>> ids = jobs_to_change(context, call);
  if (!ids) return call.responder.fail(ids.error());
  ask(context, call, CancelAsked{call.actor, std::move(*ids), *grace});
}

void hold_jobs(Context& context, Call call) {
  ask_plain<HoldAsked>(context, call, jobs_to_change(context, call));
}

void release_jobs(Context& context, Call call) {
  ask_plain<ReleaseAsked>(context, call, jobs_to_change(context, call));
}

void pause_jobs(Context& context, Call call) {
  ask_plain<PauseAsked>(context, call, jobs_to_change(context, call));
}

void resume_jobs(Context& context, Call call) {
  ask_plain<ResumeAsked>(context, call, jobs_to_change(context, call));
}

void disown_jobs(Context& context, Call call) {
  ask_plain<LetGoAsked>(context, call, jobs_to_change(context, call));
}

void requeue_jobs(Context& context, Call call) {
  ask_plain<RequeueAsked>(context, call, selected_jobs(context, call));
}

void set_jobs(Context& context, Call call) {
  Result<JobPatch> patch = parse_patch(call.request.body);
  if (!patch) return call.responder.fail(patch.error());
  Result<std::vector<JobId>> ids = jobs_to_change(context, call);
  if (!ids) return call.responder.fail(ids.error());
  const Veil veil(context, call.actor);
  if (patch->before && !veil.sees(*patch->before)) {
    return call.responder.fail(
        {ErrorCode::kNotFound, "there is no job " + to_string(*patch->before)});
  }
  if (const auto error = veil.refuses(patch->values().extras->after)) {
    return call.responder.fail(*error);
  }
  if (patch->before && ids->size() > kMovedMost) {
    return call.responder.fail(
        {ErrorCode::kTooLarge, fmt::format("at most {} jobs can be moved at once", kMovedMost)});
  }
  ask(context, call, SetAsked{call.actor, std::move(*ids), std::move(*patch)});
}

}  // namespace gpusched
