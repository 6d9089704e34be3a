// GET /v1/jobs, /v1/jobs/{selector}, /v1/jobs/{id}/explain, /v1/overview
#include <set>
#include <string>
#include <utility>

#include "api/answers.h"
#include "api/gpus_json.h"
#include "api/job_rows.h"
#include "api/routes/routes.h"
#include "core/backfill/deadline.h"
#include "core/explain/explain.h"
#include "core/share/order.h"
#include "json/json_writer.h"

namespace gpusched {
namespace {

constexpr std::size_t kWaitingShown = 20;
constexpr std::uint64_t kWaitingMost = 1000;
constexpr std::size_t kRecentShown = 5;
// Counting a place further back would cost more than it tells.
constexpr std::size_t kPositionMost = 100'000;

void write_counts(JsonWriter& json, const Counts& counts) {
  json.key("counts").begin_object();
  json.field("held", counts.held).field("queued", counts.queued);
  json.field("starting", counts.starting).field("running", counts.running);
  json.field("paused", counts.paused);
  json.field("completed", counts.completed).field("failed", counts.failed);
  json.field("cancelled", counts.cancelled).end_object();
}

// What the cards lack that the job could use, each kind once.
void write_missing(JsonWriter& json, const std::vector<CardLack>& lacks) {
  if (lacks.empty()) return;
  std::set<std::string> names;
  for (const CardLack& lack : lacks) names.insert(lack_name(lack.what));
  json.key("missing").begin_array();
  for (const std::string& name : names) json.value(name);
  json.end_array();
}

void write_reason(JsonWriter& json, const Reason& reason) {
  json.begin_object().field("code", reason_code_name(reason.code));
  json.field("message", describe(reason)).key("helps").text_or_null(what_would_help(reason));
  json.key("jobs").begin_array();
  for (const JobId id : reason.jobs) json.value(id);
  json.end_array();
  write_missing(json, reason.lacks);
  json.end_object();
}

}  // namespace

void list_jobs(Context& context, Call call) {
  context.estimates.keep_fresh();
  RowsAsked asked;
  Result<JobFilter> filter = parse_filter(call.request.query);
  if (!filter) return call.responder.fail(filter.error());
  Result<std::optional<std::uint64_t>> limit =
      query_number(call.request.query, "limit", UINT32_MAX);
  if (!limit) return call.responder.fail(limit.error());
  Result<std::optional<std::uint64_t>> newest =
      query_number(call.request.query, "newest", UINT32_MAX);
  if (!newest) return call.responder.fail(newest.error());
  if (*limit && *newest) {
    return call.responder.fail({ErrorCode::kInvalid, "give either limit or newest, not both"});
  }
  if (const auto ids = call.request.query.find("ids"); ids != call.request.query.end()) {
    Result<Selector> selector = parse_selector(ids->second);
    if (!selector) return call.responder.fail(selector.error());
    Result<std::vector<JobId>> found =
        resolve_selector(context.state(), *selector, *filter, call.actor);
    if (!found) return call.responder.fail(found.error());
    if (*newest && found->size() > **newest) {
      found->erase(found->begin(), found->end() - static_cast<std::ptrdiff_t>(**newest));
    }
    asked.ids = std::move(*found);
  } else {
    asked.newest = *newest;
  }
  asked.filter = std::move(*filter);
  asked.first = *limit;
  send_rows(context, call.actor, std::move(asked), call.responder);
}

void show_jobs(Context& context, Call call) {
  Result<std::vector<JobId>> ids = selected_jobs(context, call);
  if (!ids) return call.responder.fail(ids.error());
  context.estimates.keep_fresh();
  RowsAsked asked;
  asked.details = true;
  asked.ids = std::move(*ids);
  send_rows(context, call.actor, std::move(asked), call.responder);
}

void get_overview(Context& context, Call call) {
  context.estimates.keep_fresh();
  Result<std::optional<std::uint64_t>> most =
      query_number(call.request.query, "waiting", kWaitingMost);
  if (!most) return call.responder.fail(most.error());
  const StateView& state = context.state();
  std::string out;
  JsonWriter json(out);
  RowWriter rows(context, call.actor);
  json.begin_object().field("schema", 1).key("running").begin_array();
  for (const JobId id : state.active()) rows.row(json, *state.find(id));
  json.end_array().key("waiting").begin_array();
  const std::size_t shown = most->value_or(kWaitingShown);
  for (const JobId id : waiting_in_order(state, shown, context.now())) {
    rows.row(json, *state.find(id));
  }
  json.end_array().key("recent").begin_array();
  std::size_t left = kRecentShown;
  for (auto it = state.ended().rbegin(); it != state.ended().rend() && left > 0; ++it, --left) {
    rows.row(json, *state.find(it->second));
  }
  json.end_array();
  write_counts(json, state.counts());
  json.key("cards");
  write_cards(json, state, nullptr);
  write_problems(json, context);
  json.end_object();
  call.responder.send(json_response(std::move(out)));
}

namespace {

// A look that is older is done again before it is shown to somebody who asks about one job.
constexpr Microseconds kFreshEnough = Seconds{1};

std::string explanation(const Context& context, const Job& job) {
  const StateView& state = context.state();
  const Now now = context.now();
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("id", job.id);
  json.field("state", state_name(job.state));
  json.field("position", position_of(state, job.id, kPositionMost, context.now()));
  json.key("reasons").begin_array();
  const std::vector<Reason> reasons = why_waiting(state, job, now);
  for (const Reason& reason : reasons) write_reason(json, reason);
  json.end_array();
  const StartEstimate* estimate = reasons.empty() ? nullptr : context.estimates.of(job.id);
  std::optional<Wall> likely;
  std::optional<Wall> latest;
  if (estimate != nullptr) {
    likely = std::max(estimate->likely, now.wall);
    if (estimate->latest) latest = std::max(*estimate->latest, now.wall);
  }
  json.field("estimated_start", likely).field("latest_start", latest);
  json.field("start_guessed", estimate != nullptr && estimate->guessed);
  json.field("estimated_at", estimate == nullptr ? std::nullopt : context.estimates.looked_at());
  json.field("mps", job.active() && grant_of(job)->mps);
  json.field("deadline", job.spec->extras->deadline);
  std::optional<Wall> start = likely;
  if (job.spec->extras->deadline && !likely) start = earliest_start(state, job, now);
  json.key("deadline_warning").text_or_null(deadline_warning(state, job, start, now));
  json.end_object();
  return out;
}

}  // namespace

void explain_job(Context& context, Call call) {
  Result<const Job*> job = selected_job(context, call);
  if (!job) return call.responder.fail(job.error());
  // One that the last look did not know may be new.
  const bool unknown =
      std::holds_alternative<Queued>((*job)->state) && context.estimates.of((*job)->id) == nullptr;
  const Microseconds oldest = unknown ? Microseconds{0} : kFreshEnough;
  context.estimates.when_fresh(oldest, [&context, call, id = (*job)->id] {
    context.after_commit.run(call.actor.account(), [&context, call, id] {
      const Job* found = context.state().find(id);
      if (found == nullptr) {
        return call.responder.fail({ErrorCode::kNotFound, "job " + to_string(id) + " is gone"});
      }
      call.responder.send(json_response(explanation(context, *found)));
    });
  });
}

}  // namespace gpusched
