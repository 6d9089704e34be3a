#include "core/explain/excerpt.h"

#include <unordered_set>

#include "core/share/order.h"

namespace gpusched {

// Whatever new kind of value the state learns that decide() reads has its line here.
State machine_of(const StateView& state) {
  Rules rules = state.rules();
  // What never happens is neither counted nor remembered.
  rules.work_keep_for = rules.past_keep_for = Seconds{0};
  State machine(std::move(rules), state.host());
  machine.set_cards(state.cards());
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    const CardView& view = state.view_of(i);
    if (view.condition != CardCondition::kUnseen) machine.observe(state.cards()[i].number, view);
  }
  for (const auto& [uuid, drain] : state.drains()) machine.put(drain);
  for (const auto& [uuid, rates] : state.move_rates()) machine.put(rates);
  for (const auto& [name, group] : state.groups()) machine.put(group);
  for (const auto& [id, reservation] : state.reservations()) machine.put(reservation);
  machine.configure_tenants(state.tenants().configured());
  for (const auto& [name, entry] : state.tenants().entries()) {
    if (entry.kept) machine.put(*entry.kept);
  }
  machine.set_calendar(state.calendar());
  machine.believe(state.estimates());
  machine.seen().siblings = state.seen().siblings;
  machine.seen().turns = state.seen().turns;
  machine.seen().slow_pairs = state.seen().slow_pairs;
  machine.set_disk_use(state.disk_use());
  machine.keep_changes();
  return machine;
}

Excerpt excerpt_of(const StateView& state, std::size_t waiting_most, Now now) {
  Excerpt excerpt{.machine = machine_of(state), .jobs = {}, .now = now};
  std::unordered_set<JobId> taken;
  const auto take = [&](JobId id) {
    const Job* job = state.find(id);
    if (job == nullptr || state.in_open_submission(id) || !taken.insert(id).second) return;
    if (job->task && state.guarded(job->task->array)) {
      excerpt.machine.guard_array(job->task->array, true);
    }
    excerpt.jobs.push_back(*job);
  };
  for (const JobId id : state.active()) take(id);
  const std::vector<JobId> waiting = waiting_in_order(state, waiting_most, now);
  for (const JobId id : waiting) take(id);
  for (const JobId id : waiting) {
    for (const Dependency& dependency : state.find(id)->spec->extras->after) {
      const Job* other = state.find(dependency.job);
      const bool held = other != nullptr && std::holds_alternative<Held>(other->state);
      if (held || (other != nullptr && other->ended())) take(dependency.job);
    }
  }
  const std::size_t all = state.pending().size() + state.asleep().size();
  excerpt.left_out = all - std::min(all, waiting.size());
  return excerpt;
}

State state_of(Excerpt excerpt) {
  State state = std::move(excerpt.machine);
  std::vector<Tenant> tenants;
  for (const auto& [name, entry] : state.tenants().entries()) {
    if (entry.kept) tenants.push_back(*entry.kept);
  }
  // Those that others wait for come first: a dependency is judged when its job is put.
  for (const bool ended : {true, false}) {
    for (const Job& job : excerpt.jobs) {
      if (job.ended() == ended) state.put(job, excerpt.now);
    }
  }
  for (const Job& job : excerpt.jobs) {
    for (const JobId dependent : state.dependents_of(job.id)) state.wake(dependent, excerpt.now);
  }
  // Putting a running job counts from there on; what was used before stands.
  for (Tenant& tenant : tenants) state.put(std::move(tenant));
  state.keep_changes();
  return state;
}

}  // namespace gpusched
