// One verb for very many jobs, such as `cancel --all`: a slice of them per turn, so that everybody
// else is served in between. Each slice is on disk before the next; the answer comes with the last.
#include <algorithm>
#include <utility>

#include "core/apply/bulk_verb.h"
#include "core/apply/transitions.h"
#include "core/state/state.h"
#include "engine/engine.h"

namespace gpusched {
namespace {

// Looked at per turn before the first is changed: a verb for a job that one may not change is
// refused as a whole.
constexpr std::size_t kCheckedPerTurn = 2000;

std::vector<JobId> take_from_end(std::vector<JobId>& jobs, std::size_t most) {
  const std::size_t count = std::min(jobs.size(), most);
  std::vector<JobId> taken(jobs.end() - static_cast<std::ptrdiff_t>(count), jobs.end());
  jobs.resize(jobs.size() - count);
  return taken;
}

}  // namespace

bool Engine::is_bulk(const Event& event) const {
  return std::visit(
      [this](const auto& asked) {
        if constexpr (kIsBulkVerb<std::decay_t<decltype(asked)>>) {
          return asked.jobs.size() > options_.slice;
        } else {
          return false;
        }
      },
      event);
}

void Engine::begin_bulk(Posted posted) {
  Event& event = posted.event;
  Bulk& bulk = bulks_.emplace_back();
  bulk.unchecked = std::move(*bulk_verb_of(event).jobs);
  bulk_verb_of(event).jobs->clear();
  bulk.whole = std::move(event);
  if (auto* set = std::get_if<SetAsked>(&bulk.whole))
    set->renewed = std::make_shared<RenewedSpecs>();
  bulk.answer = std::move(posted.answer);
  bulk.asked = std::move(posted.asked);
}

// Waiting ones go first: were a running one ended before, one of them would start in its place.
std::optional<Answer> Engine::check_more(Bulk& bulk) const {
  const std::vector<JobId> jobs = take_from_end(bulk.unchecked, kCheckedPerTurn);
  if (const auto* set = std::get_if<SetAsked>(&bulk.whole)) {
    const SetAsked some{set->actor, jobs, set->patch, set->renewed};
    if (auto refusal = renew_specs(state_, some, *set->renewed)) return *refusal;
  }
  const BulkVerb verb = bulk_verb_of(bulk.whole);
  if (auto refusal = refuse_ids(state_, *verb.actor, jobs, verb.action)) return *refusal;
  for (const JobId id : jobs) {
    (state_.find(id)->active() ? bulk.active : bulk.waiting).push_back(id);
  }
  return std::nullopt;
}

std::optional<Answer> Engine::change_more(Bulk& bulk, std::size_t most, Now now) {
  record_begun(bulk, now);
  std::vector<JobId> jobs = take_from_end(bulk.waiting.empty() ? bulk.active : bulk.waiting, most);
  std::erase_if(jobs, [&](JobId id) {
    const bool gone = state_.find(id) == nullptr;
    if (gone) bulk.changed.unchanged.emplace_back(id, "is gone");
    return gone;
  });
  std::ranges::sort(jobs);
  Event slice = bulk.whole;
  *bulk_verb_of(slice).jobs = std::move(jobs);
  Applied applied = apply(state_, slice, now);
  std::ranges::move(applied.effects, std::back_inserter(flight_.effects));
  std::ranges::move(applied.follow_up, std::back_inserter(flight_.follow_up));
  flight_.lazy = false;
  auto* changed = std::get_if<Changed>(&applied.answer);
  if (changed == nullptr) return std::move(applied.answer);
  std::ranges::move(changed->jobs, std::back_inserter(bulk.changed.jobs));
  std::ranges::move(changed->unchanged, std::back_inserter(bulk.changed.unchanged));
  if (!bulk.waiting.empty() || !bulk.active.empty()) return std::nullopt;
  std::ranges::sort(bulk.changed.jobs);
  std::ranges::sort(bulk.changed.unchanged);
  return std::move(bulk.changed);
}

void Engine::take_bulks(Now now) {
  const std::size_t most = slice_now();
  for (auto bulk = bulks_.begin(); bulk != bulks_.end();) {
    std::optional<Answer> answer;
    const bool repeated = !std::exchange(bulk->begun, true) &&
                          (answer = told_before(bulk->asked, bulk->whole, now)).has_value();
    if (!repeated) {
      answer = bulk->unchecked.empty() ? change_more(*bulk, most, now) : check_more(*bulk);
    }
    if (!answer) {
      ++bulk;
      continue;
    }
    if (!repeated) record_end(*bulk, *answer, now);
    flight_.answers.emplace_back(flight_.events.size(), std::move(*answer));
    flight_.events.push_back({Reconsider{}, std::move(bulk->answer)});
    bulk = bulks_.erase(bulk);
  }
}

}  // namespace gpusched
