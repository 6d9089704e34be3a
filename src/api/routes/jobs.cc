// GET /v1/jobs, /v1/jobs/{selector}, /v1/overview
#include <string>
#include <utility>

#include "api/answers.h"
#include "api/gpus_json.h"
#include "api/job_rows.h"
#include "api/routes/routes.h"
#include "core/share/order.h"
#include "json/json_writer.h"

namespace gpusched {
namespace {

constexpr std::size_t kWaitingShown = 20;
constexpr std::uint64_t kWaitingMost = 1000;
constexpr std::size_t kRecentShown = 5;

void write_counts(JsonWriter& json, const Counts& counts) {
  json.key("counts").begin_object();
  json.field("held", counts.held).field("queued", counts.queued);
  json.field("starting", counts.starting).field("running", counts.running);
  json.field("paused", counts.paused);
  json.field("completed", counts.completed).field("failed", counts.failed);
  json.field("cancelled", counts.cancelled).end_object();
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

}  // namespace gpusched
