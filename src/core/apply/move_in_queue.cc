// `move`: one's own waiting jobs in another order. The places in the queue stay where they are and
// only change hands, so that nobody else's job comes a place later.
#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "core/apply/transitions.h"
#include "core/state/pending.h"

namespace gpusched {
namespace {

// Each job between the old place and the new one is written again.
constexpr std::size_t kPassedMost = 10'000;

bool waits(const Job& job) {
  return std::holds_alternative<Held>(job.state) || std::holds_alternative<Queued>(job.state);
}

// What keeps two jobs from changing places; empty: nothing.
std::string_view apart(const Job& a, const Job& b) {
  if (a.owner.uid != b.owner.uid || a.tenant != b.tenant) return "owner";
  if (a.spec->project != b.spec->project) return "project";
  return a.priority == b.priority ? "" : "priority";
}

std::optional<Refusal> check_move(const StateView& state, const SetAsked& asked) {
  const JobId before = *asked.patch.before;
  const Job* target = state.find(before);
  if (target == nullptr || state.in_open_submission(before)) {
    return Refusal{RefusalKind::kNotFound, "there is no job " + to_string(before)};
  }
  if (!waits(*target)) {
    return Refusal{RefusalKind::kConflict, "job " + to_string(before) + " does not wait; it is " +
                                               state_name(target->state)};
  }
  for (const JobId id : asked.jobs) {
    const Job& job = *state.find(id);
    if (id == before) {
      return Refusal{RefusalKind::kInvalid,
                     "job " + to_string(id) + " cannot be moved before itself"};
    }
    if (!waits(job)) continue;
    if (const std::string_view what = apart(job, *target); !what.empty()) {
      return Refusal{RefusalKind::kConflict, "jobs " + to_string(id) + " and " + to_string(before) +
                                                 " differ in their " + std::string(what) +
                                                 "; only jobs with the same " +
                                                 "owner, project and priority can change places"};
    }
  }
  return std::nullopt;
}

// The waiting jobs that may change places with this one, in the order of the queue.
std::vector<const Job*> peers_of(const StateView& state, const Job& target) {
  std::vector<const Job*> peers;
  const auto add = [&](JobId id) {
    const Job* job = state.find(id);
    if (waits(*job) && apart(*job, target).empty()) peers.push_back(job);
  };
  state.pending().for_each_of({target.tenant, target.spec->project}, add);
  for (const JobId id : state.asleep()) add(id);
  std::ranges::sort(peers, {}, [](const Job* job) { return queue_place_of(*job); });
  return peers;
}

}  // namespace

Applied move_in_queue(State& state, const SetAsked& asked, Now now) {
  if (auto refusal = check_move(state, asked)) return refused(std::move(*refusal));
  const JobId before = *asked.patch.before;
  const std::vector<const Job*> old_order = peers_of(state, *state.find(before));
  const std::set<JobId> moved(asked.jobs.begin(), asked.jobs.end());
  const auto is_moved = [&](const Job* job) { return moved.contains(job->id); };
  std::vector<const Job*> order;
  std::ranges::remove_copy_if(old_order, std::back_inserter(order), is_moved);
  std::vector<const Job*> going;
  std::ranges::copy_if(old_order, std::back_inserter(going), is_moved);
  order.insert(std::ranges::find(order, before, &Job::id), going.begin(), going.end());
  std::vector<Job> changes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] == old_order[i]) continue;
    changes.push_back(*order[i]);
    changes.back().place = queue_place_of(*old_order[i]);
  }
  if (changes.size() > kPassedMost) {
    return refused(RefusalKind::kConflict, "more than " + std::to_string(kPassedMost) +
                                               " of your jobs lie between; change the priority");
  }
  Changed changed;
  for (Job& job : changes) {
    if (moved.contains(job.id)) {
      state.note(job, "changed", "moved before job " + to_string(before), now);
    }
    state.put(std::move(job), now);
  }
  for (const JobId id : asked.jobs) {
    if (waits(*state.find(id))) {
      changed.jobs.push_back(id);
    } else {
      changed.unchanged.emplace_back(
          id, std::string("does not wait; it is ") + state_name(state.find(id)->state));
    }
  }
  return {.answer = std::move(changed), .effects = {}, .follow_up = {}};
}

}  // namespace gpusched
