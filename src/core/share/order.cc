#include "core/share/order.h"

#include <iterator>
#include <set>

#include "core/share/fair_share.h"
#include "core/state/pending.h"

namespace gpusched {
namespace {

// The arrays that have their line already.
struct Lines {
  const StateView& state;
  bool fold = false;
  std::set<JobId> told = {};

  bool folds(const Job& job) const { return fold && state.in_sweep(job); }
  // True: the job gets a line.
  bool add(const Job& job) { return !folds(job) || told.insert(job.task->array).second; }
};

void add_asleep(const StateView& state, std::size_t most, Lines& lines,
                std::vector<JobId>& waiting) {
  for (const bool held : {false, true}) {
    auto id = state.asleep().begin();
    while (id != state.asleep().end() && waiting.size() < most) {
      const Job& job = *state.find(*id);
      if (std::holds_alternative<Held>(job.state) == held && lines.add(job)) {
        waiting.push_back(*id);
      }
      // The rest of a sweep is not looked at.
      const bool done = lines.folds(job) && lines.told.contains(job.task->array);
      id = done ? state.asleep().upper_bound(state.last_of_array(job.task->array)) : std::next(id);
    }
  }
}

}  // namespace

std::vector<JobId> waiting_in_order(const StateView& state, std::size_t most, Now now,
                                    WaitingLines kind) {
  std::vector<JobId> waiting;
  Lines lines{state, kind == WaitingLines::kSweeps};
  PendingWalk walk(state.pending(), standings_of(state, now));
  while (waiting.size() < most) {
    const OrderKey* key = walk.next();
    if (key == nullptr) break;
    const Job& job = *state.find(key->job);
    if (lines.add(job)) waiting.push_back(key->job);
    // All jobs of a shape are of one array: what is not taken is left behind.
    if (!lines.folds(job)) walk.take();
  }
  add_asleep(state, most, lines, waiting);
  return waiting;
}

std::optional<std::size_t> position_of(const StateView& state, JobId id, std::size_t most,
                                       Now now) {
  if (!state.pending().contains(id)) return std::nullopt;
  PendingWalk walk(state.pending(), standings_of(state, now));
  for (std::size_t position = 1; position <= most; ++position) {
    const OrderKey* key = walk.next();
    if (key == nullptr) break;
    if (key->job == id) return position;
    walk.take();
  }
  return std::nullopt;
}

}  // namespace gpusched
