// GET /v1/jobs/{selector}/explain: one job, or several by what they wait for.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/answers.h"
#include "api/reason_answer.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "core/backfill/deadline.h"
#include "core/explain/explain.h"
#include "core/share/order.h"
#include "wire/message_json.h"
#include "wire/messages/jobs.h"

namespace gpusched {
namespace {

// A look that is older is done again before it is shown to somebody who asks.
constexpr Microseconds kFreshEnough = Seconds{1};

void fill_in(wire::Explanation& answer, Context& context, const Principal& actor, const Job& job) {
  const Veil veil(context, actor);
  const StateView& state = context.state();
  const Now now = context.now();
  answer.id = number_of(job.id);
  answer.state = state_name(job.state);
  if (!veil.covers() || veil.shows_counts()) {
    answer.position = context.positions.of(state, job.id, now);
  }
  for (const Reason& reason : why_waiting(state, job, now)) {
    veil.hide_in(answer.reasons.emplace_back(answer_of(veil.over(reason), job.id)));
  }
  const StartEstimate* estimate = context.estimates.of(job);
  if (estimate != nullptr) {
    answer.estimated_start = std::max(estimate->likely, now.wall);
    if (estimate->latest) answer.latest_start = std::max(*estimate->latest, now.wall);
  }
  answer.start_unknown = veil.over(context.estimates.why_unknown(job));
  const bool looked = estimate != nullptr || !answer.start_unknown.empty();
  if (looked) answer.estimated_at = context.estimates.looked_at();
  answer.mps = job.active() && grant_of(job)->mps;
  answer.deadline = job.spec->extras->deadline;
  // Once it has started, that no longer counts.
  if (!job.active() && !job.ended()) answer.expire = job.spec->extras->expire;
  std::optional<Wall> start = answer.estimated_start;
  if (answer.deadline && !start) start = earliest_start(state, job, now);
  answer.deadline_warning = veil.over(deadline_warning(state, job, start, now));
}

// Jobs that wait for the same, or are in the same state otherwise.
struct Alike {
  std::uint64_t count = 0;
  std::vector<JobId> first;         // A few of them, by id.
  std::optional<JobId> array = {};  // The one that all of them are of.
};

// Very many jobs, looked at slice by slice so that others are let through.
struct Together {
  Call call;
  std::vector<JobId> jobs;
  std::size_t done = 0;
  std::map<std::string, Alike> groups = {};  // By state and what they wait for.
};

void name_array(wire::Explanation& of_first, JobId array) {
  const std::string one = "gpusched release " + std::to_string(of_first.id);
  for (wire::WaitingReason& reason : of_first.reasons) {
    if (reason.helps.ends_with(one)) {
      reason.helps.resize(reason.helps.size() - one.size());
      reason.helps += "gpusched release --array " + to_string(array);
    }
  }
}

std::string together_json(Context& context, const Together& all) {
  constexpr std::size_t kGroupsMost = 20;
  std::vector<const Alike*> groups;
  for (const auto& [key, alike] : all.groups) groups.push_back(&alike);
  std::ranges::stable_sort(groups, [](const Alike* a, const Alike* b) {
    return a->count > b->count || (a->count == b->count && a->first < b->first);
  });
  std::uint64_t count = 0;
  for (const Alike* alike : groups) count += alike->count;
  const std::size_t shown = std::min(groups.size(), kGroupsMost);
  wire::ExplainedTogether answer{.count = count, .groups_left_out = groups.size() - shown};
  for (std::size_t i = 0; i < shown; ++i) {
    wire::AlikeJobs& alike = answer.groups.emplace_back();
    alike.count = groups[i]->count;
    for (const JobId id : groups[i]->first) alike.jobs.push_back(number_of(id));
    // Retention may have taken it meanwhile.
    if (const Job* first = context.state().find(groups[i]->first.front())) {
      fill_in(alike.first.emplace(), context, all.call.actor, *first);
      // What helps one of a whole sweep should be said once for all of it.
      if (groups[i]->array && alike.count > 1) name_array(*alike.first, *groups[i]->array);
    }
  }
  return wire::to_json(answer);
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
void explain_more(Context& context, const std::shared_ptr<Together>& all) {
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
    const auto array = job->task ? std::optional(job->task->array) : std::nullopt;
    if (alike.count == 1) alike.array = array;
    if (alike.array != array) alike.array.reset();
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
  wire::Explained answer;
  fill_in(answer, context, call.actor, *found);
  call.responder.send(json_response(wire::to_json(answer)));
}

// The last look did not know it, and one that begins now would.
bool is_new_to_looks(const Context& context, const Job& job) {
  if (!std::holds_alternative<Queued>(job.state) || context.estimates.of(job) != nullptr ||
      !context.estimates.why_unknown(job).empty()) {
    return false;
  }
  const StateView& state = context.state();
  return state.pending().size() + state.asleep().size() <= kLookedAheadMost ||
         position_of(state, job.id, kLookedAheadMost, context.now()).has_value();
}

}  // namespace

void explain_job(Context& context, Call call) {
  Result<std::vector<JobId>> ids = selected_jobs(context, call);
  if (!ids) return call.responder.fail(ids.error());
  const Job* one = ids->size() == 1 ? context.state().find(ids->front()) : nullptr;
  const bool unknown = one != nullptr && is_new_to_looks(context, *one);
  const std::uint32_t uid = call.actor.account();
  context.estimates.when_fresh(
      unknown ? Microseconds{0} : kFreshEnough,
      [&context, call = std::move(call), ids = std::move(*ids), uid] {
        context.after_commit.run(uid, [&context, call, ids] {
          if (ids.size() == 1) return explain_one(context, call, ids.front());
          explain_more(context, std::make_shared<Together>(Together{call, ids}));
        });
      });
}

}  // namespace gpusched
