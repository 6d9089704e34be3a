// GET /v1/jobs/{selector}/explain: one job, or several by what they wait for.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/answers.h"
#include "api/routes/routes.h"
#include "core/backfill/deadline.h"
#include "core/explain/explain.h"
#include "core/share/order.h"
#include "json/json_writer.h"

namespace gpusched {
namespace {

// Counting a place further back would cost more than it tells.
constexpr std::size_t kPositionMost = 100'000;
// A look that is older is done again before it is shown to somebody who asks.
constexpr Microseconds kFreshEnough = Seconds{1};

// What the cards lack that the job could use, each kind once.
void write_missing(JsonWriter& json, const std::vector<CardLack>& lacks) {
  if (lacks.empty()) return;
  std::set<std::string> names;
  for (const CardLack& lack : lacks) names.insert(lack_name(lack.what));
  json.key("missing").begin_array();
  for (const std::string& name : names) json.value(name);
  json.end_array();
}

void write_reason(JsonWriter& json, const Reason& reason, JobId job) {
  json.begin_object().field("code", reason_code_name(reason.code));
  json.field("message", describe(reason)).key("helps").text_or_null(what_would_help(reason, job));
  json.key("jobs").begin_array();
  for (const JobId id : reason.jobs) json.value(id);
  json.end_array();
  write_missing(json, reason.lacks);
  json.key("no_room").text_or_null(why_no_room(reason)).end_object();
}

void write_explanation(JsonWriter& json, const Context& context, const Job& job) {
  const StateView& state = context.state();
  const Now now = context.now();
  json.field("id", job.id).field("state", state_name(job.state));
  json.field("position", position_of(state, job.id, kPositionMost, now));
  json.key("reasons").begin_array();
  for (const Reason& reason : why_waiting(state, job, now)) write_reason(json, reason, job.id);
  json.end_array();
  const StartEstimate* estimate = context.estimates.of(job);
  std::optional<Wall> likely;
  std::optional<Wall> latest;
  if (estimate != nullptr) {
    likely = std::max(estimate->likely, now.wall);
    if (estimate->latest) latest = std::max(*estimate->latest, now.wall);
  }
  json.field("estimated_start", likely).field("latest_start", latest);
  const std::string unknown = context.estimates.why_unknown(job);
  json.key("start_unknown").text_or_null(unknown);
  // Older clients ask for it; nothing is guessed any more.
  json.field("start_guessed", false);
  const bool looked = estimate != nullptr || !unknown.empty();
  json.field("estimated_at", looked ? context.estimates.looked_at() : std::nullopt);
  json.field("mps", job.active() && grant_of(job)->mps);
  json.field("deadline", job.spec->extras->deadline);
  std::optional<Wall> start = likely;
  if (job.spec->extras->deadline && !likely) start = earliest_start(state, job, now);
  json.key("deadline_warning").text_or_null(deadline_warning(state, job, start, now));
}

// Jobs that wait for the same, or are in the same state otherwise.
struct Alike {
  std::uint64_t count = 0;
  std::vector<JobId> first;  // A few of them, by id.
};

// Very many jobs, looked at slice by slice so that others are let through.
struct ExplainedTogether {
  Call call;
  std::vector<JobId> jobs;
  std::size_t done = 0;
  std::map<std::string, Alike> groups = {};  // By state and what they wait for.
};

std::string together_json(const Context& context, const ExplainedTogether& all) {
  constexpr std::size_t kGroupsMost = 20;
  std::vector<const Alike*> groups;
  for (const auto& [key, alike] : all.groups) groups.push_back(&alike);
  std::ranges::stable_sort(groups, [](const Alike* a, const Alike* b) {
    return a->count > b->count || (a->count == b->count && a->first < b->first);
  });
  std::uint64_t count = 0;
  for (const Alike* alike : groups) count += alike->count;
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("count", count);
  json.field("groups_left_out", groups.size() - std::min(groups.size(), kGroupsMost));
  json.key("groups").begin_array();
  for (std::size_t i = 0; i < std::min(groups.size(), kGroupsMost); ++i) {
    json.begin_object().field("count", groups[i]->count).key("jobs").begin_array();
    for (const JobId id : groups[i]->first) json.value(id);
    json.end_array().key("first");
    // Retention may have taken it meanwhile.
    if (const Job* first = context.state().find(groups[i]->first.front())) {
      json.begin_object();
      write_explanation(json, context, *first);
      json.end_object();
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

// What makes two reasons one. Not their words: those tell how long something lasts by now, and the
// slices of one answer are not of one moment.
std::string essence_of(const Reason& reason) {
  const bool named = reason.code == ReasonCode::kGroupLimit ||
                     reason.code == ReasonCode::kGroupPaused ||
                     reason.code == ReasonCode::kTenantQuota;
  std::string text = reason_code_name(reason.code);
  if (named) text += " " + reason.name;
  for (const std::uint64_t number :
       {reason.wanted, reason.vram_bytes, static_cast<std::uint64_t>(reason.share_percent)}) {
    text += " " + std::to_string(number);
  }
  for (const JobId id : reason.jobs) text += "," + to_string(id);
  return text;
}

// REQUIRES: no commit is under way.
void explain_more(Context& context, const std::shared_ptr<ExplainedTogether>& all) {
  constexpr std::size_t kAtOnce = 5000;
  constexpr std::size_t kNamedOfGroup = 10;
  WaitingReasons reasons(context.state(), context.now());
  // Jobs of one shape share the answer.
  std::map<const Reason*, std::string> essences;
  const std::size_t end = std::min(all->jobs.size(), all->done + kAtOnce);
  for (; all->done < end; ++all->done) {
    const Job* job = context.state().find(all->jobs[all->done]);
    if (job == nullptr) continue;
    std::string key = state_name(job->state);
    const std::vector<Reason>& why = reasons.of(*job);
    if (!why.empty() && context.state().pending().contains(job->id)) {
      std::string& text = essences[&why.front()];
      if (text.empty()) text = essence_of(why.front());
      key += " " + text;
    } else if (!why.empty()) {
      key += " " + essence_of(why.front());
    }
    Alike& alike = all->groups[key];
    ++alike.count;
    if (alike.first.size() < kNamedOfGroup) alike.first.push_back(job->id);
  }
  if (all->done == all->jobs.size()) {
    return all->call.responder.send(json_response(together_json(context, *all)));
  }
  const std::uint32_t uid = all->call.actor.account();
  context.turns.give(uid, [&context, uid, all] {
    context.after_commit.run(uid, [&context, all] { explain_more(context, all); });
  });
}

void explain_one(Context& context, const Call& call, JobId id) {
  const Job* found = context.state().find(id);
  if (found == nullptr) {
    return call.responder.fail({ErrorCode::kNotFound, "job " + to_string(id) + " is gone"});
  }
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1);
  write_explanation(json, context, *found);
  json.end_object();
  call.responder.send(json_response(std::move(out)));
}

}  // namespace

void explain_job(Context& context, Call call) {
  Result<std::vector<JobId>> ids = selected_jobs(context, call);
  if (!ids) return call.responder.fail(ids.error());
  const Job* one = ids->size() == 1 ? context.state().find(ids->front()) : nullptr;
  // One that the last look did not know may be new.
  const bool unknown = one != nullptr && std::holds_alternative<Queued>(one->state) &&
                       context.estimates.of(*one) == nullptr &&
                       context.estimates.why_unknown(*one).empty();
  const std::uint32_t uid = call.actor.account();
  context.estimates.when_fresh(
      unknown ? Microseconds{0} : kFreshEnough,
      [&context, call = std::move(call), ids = std::move(*ids), uid] {
        context.after_commit.run(uid, [&context, call, ids] {
          if (ids.size() == 1) return explain_one(context, call, ids.front());
          explain_more(context, std::make_shared<ExplainedTogether>(ExplainedTogether{call, ids}));
        });
      });
}

}  // namespace gpusched
