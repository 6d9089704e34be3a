// The indexes of the state: one function puts a job where it belongs, one takes it out again.
// Everything here is derived from the jobs; check_invariants() says so out loud.
#include <algorithm>

#include "base/check.h"
#include "core/model/kind.h"
#include "core/state/belief.h"
#include "core/state/deadline_times.h"
#include "core/state/dependency.h"
#include "core/state/state.h"

namespace gpusched {

std::uint64_t& counter_of(Counts& counts, const JobState& state) {
  struct Pick {
    Counts& all;
    std::uint64_t& operator()(const Held&) const { return all.held; }
    std::uint64_t& operator()(const Queued&) const { return all.queued; }
    std::uint64_t& operator()(const Starting&) const { return all.starting; }
    std::uint64_t& operator()(const Running& running) const {
      return aside_of(running) == nullptr ? all.running : all.paused;
    }
    std::uint64_t& operator()(const Ended& ended) const {
      if (ended.outcome == Outcome::kCompleted) return all.completed;
      return ended.outcome == Outcome::kFailed ? all.failed : all.cancelled;
    }
  };
  return std::visit(Pick{counts}, state);
}

void State::count(const Job& job, bool add) {
  const auto change = [&](Counts& counts) {
    std::uint64_t& counter = counter_of(counts, job.state);
    counter = add ? counter + 1 : counter - 1;
  };
  change(counts_);
  if (!job.task) return;
  const auto array = array_counts_.try_emplace(job.task->array).first;
  change(array->second);
  if (array->second.total() == 0) array_counts_.erase(array);
}

void State::hold_resources(const Grant& grant, int sign) {
  const auto add = [sign](std::uint64_t& total, std::uint64_t amount) {
    total = sign > 0 ? total + amount : total - amount;
  };
  for (const CardGrant& held : grant.cards) {
    // A card that is not there now holds nothing; set_cards() counts again when it is back.
    const auto position = index_of(held.card);
    if (!position) continue;
    CardHolds& holds = card_holds_[*position];
    add(holds.vram_bytes, held.vram_bytes);
    holds.share_percent += sign * held.share_percent;
    holds.jobs += sign;
    if (held.whole) holds.whole = sign > 0;
  }
  host_holds_.cpus += sign * grant.cpus;
  add(host_holds_.ram_bytes, grant.ram_bytes);
  for (const CardGrant& held : grant.cards) {
    if (const auto position = index_of(held.card)) refresh_ungranted(*position);
  }
}

void State::remember_sweep(JobId array) {
  const auto known = sweeps_.find(array);
  const auto record = known == sweeps_.end() ? std::nullopt : std::optional(known->second);
  sweeps_before_.try_emplace(array, SweepBefore{record, guarded_.contains(array)});
}

// A failure counts against its sweep when the attempt died within the guard's time.
void State::record_sweep(const Job& job, int sign) {
  const auto* ended = std::get_if<Ended>(&job.state);
  if (!job.task || ended == nullptr || ended->outcome == Outcome::kCancelled) return;
  const bool quick = ended->outcome == Outcome::kFailed && ended->started_at &&
                     ended->ended_at - *ended->started_at <= rules_.crash_guard_within;
  const bool at_launch = ended->outcome == Outcome::kFailed && ended->cause == Cause::kLaunch;
  remember_sweep(job.task->array);
  SweepRecord& record = sweeps_[job.task->array];
  (quick || at_launch ? record.quick_failures : record.others) += sign;
}

void State::link_dependencies(const Job& job, bool add) {
  for (const Dependency& dependency : job.spec->extras->after) {
    if (add) {
      dependents_[dependency.job].push_back(job.id);
      continue;
    }
    const auto found = dependents_.find(dependency.job);
    if (found == dependents_.end()) continue;
    std::erase(found->second, job.id);
    if (found->second.empty()) dependents_.erase(found);
  }
}

void State::index_queued(const Job& job, const Queued& queued, Now now) {
  const bool begins_later = job.spec->extras->begin && *job.spec->extras->begin > now.wall;
  const bool retries_later = queued.retry_boot && *queued.retry_boot > now.boot;
  if (begins_later) begins_.emplace(*job.spec->extras->begin, job.id);
  if (retries_later) retries_.emplace(*queued.retry_boot, job.id);
  if (begins_later || retries_later ||
      dependencies_of(*this, *job.spec) != DependencyStatus::kMet) {
    asleep_.insert(job.id);
    return;
  }
  const bool overdue = now.wall - job.submitted_at >= rules_.overdue_after;
  const bool by_history = counts_history(job, rules_.estimates);
  std::optional<Wall> start_by;
  if (job.spec->extras->deadline) {
    const DeadlineTimes times = deadline_times(estimates_, rules_.deadline_slack, job);
    if (times.presses(now.wall)) start_by = times.latest_start;
  }
  pending_.insert(job, overdue, by_history ? job.signature : SignatureId{}, start_by);
  (overdue ? overdue_ : fresh_).emplace(job.submitted_at, job.id);
}

void State::index(const Job& job, Now now) {
  if (staged(job.id) != nullptr) return;
  count(job, true);
  leases_.add(job, now);
  tenants_.learn(job.owner.user, job.tenant);
  const bool waits =
      std::holds_alternative<Held>(job.state) || std::holds_alternative<Queued>(job.state);
  if (waits) {
    if (job.spec->extras->expire) expiries_.emplace(*job.spec->extras->expire, job.id);
    if (job.spec->extras->deadline) watch_deadline(job, now);
    if (!job.spec->group.empty()) ++waiting_in_group_[job.spec->group];
    link_dependencies(job, true);
    tenants_.add_waiting(job.tenant);
  }
  if (std::holds_alternative<Held>(job.state)) {
    asleep_.insert(job.id);
  } else if (const auto* queued = std::get_if<Queued>(&job.state)) {
    index_queued(job, *queued, now);
  } else if (const auto* ended = std::get_if<Ended>(&job.state)) {
    ended_.add(job);
    record_sweep(job, +1);
    // What its process still has on the cards counts from now on.
    for (const CardGrant& held :
         kind_of(job).outlives_job ? ended->grant.cards : std::vector<CardGrant>{}) {
      if (const auto position = index_of(held.card)) refresh_ungranted(*position);
    }
  } else {
    active_.insert(job.id);
    if (is_aside(job)) aside_.insert(job.id);
    hold_resources(held_by(job), +1);
    ++active_in_band_[static_cast<std::size_t>(band_rank(job.priority))];
    tenants_.add_active(job, cards_);
    if (!job.spec->group.empty()) ++active_in_group_[job.spec->group];
  }
}

void State::unindex(const Job& job) {
  if (staged(job.id) != nullptr) return;
  count(job, false);
  leases_.remove(job);
  const bool waits =
      std::holds_alternative<Held>(job.state) || std::holds_alternative<Queued>(job.state);
  if (waits) {
    if (job.spec->extras->expire) expiries_.erase({*job.spec->extras->expire, job.id});
    if (job.spec->extras->deadline) unwatch_deadline(job);
    if (!job.spec->group.empty() && --waiting_in_group_[job.spec->group] == 0) {
      waiting_in_group_.erase(job.spec->group);
    }
    link_dependencies(job, false);
    tenants_.remove_waiting(job.tenant);
    asleep_.erase(job.id);
    pending_.erase(job.id);
    fresh_.erase({job.submitted_at, job.id});
    overdue_.erase({job.submitted_at, job.id});
    if (job.spec->extras->begin) begins_.erase({*job.spec->extras->begin, job.id});
    const auto* queued = std::get_if<Queued>(&job.state);
    if (queued != nullptr && queued->retry_boot) retries_.erase({*queued->retry_boot, job.id});
  } else if (std::holds_alternative<Ended>(job.state)) {
    ended_.remove(job);
    record_sweep(job, -1);
  } else {
    active_.erase(job.id);
    aside_.erase(job.id);
    hold_resources(held_by(job), -1);
    --active_in_band_[static_cast<std::size_t>(band_rank(job.priority))];
    tenants_.remove_active(job);
    if (!job.spec->group.empty() && --active_in_group_[job.spec->group] == 0) {
      active_in_group_.erase(job.spec->group);
    }
  }
}

void State::reindex_dependents(JobId id, Now now) {
  for (const JobId dependent : dependents_of(id)) wake(dependent, now);
}

void State::check_invariants(const std::set<JobId>& found) const {
  std::size_t ended = 0;
  std::size_t waiting = 0;
  std::vector<CardHolds> holds(cards_.size());
  std::vector<bool> granted(cards_.size(), true);  // By nobody but the scheduler.
  HostHolds host;
  std::map<std::string, TenantHolds> tenants;
  std::map<std::string, std::uint64_t> waiting_of;
  std::map<JobId, Counts> arrays;
  for (const auto& [id, job] : tables_.jobs.rows) {
    CHECK(job.id == id && job.spec != nullptr && id < next_job_);
    if (staged(id) != nullptr) {
      CHECK(!job.active() && !pending_.contains(id) && !asleep_.contains(id));
      continue;
    }
    if (job.task) ++counter_of(arrays[job.task->array], job.state);
    const bool is_active = job.active();
    CHECK(is_active == active_.contains(id));
    const bool waits = !is_active && !job.ended();
    CHECK(waits == (pending_.contains(id) || asleep_.contains(id)));
    CHECK(!(pending_.contains(id) && asleep_.contains(id)));
    waiting += waits ? 1 : 0;
    if (waits) ++waiting_of[job.tenant];
    ended += job.ended() ? 1 : 0;
    if (!is_active) continue;
    tenants[job.tenant].add(*grant_of(job));
    Grant away;
    const Grant& grant = held_by(job, std::move(away));
    host.cpus += grant.cpus;
    host.ram_bytes += grant.ram_bytes;
    for (const CardGrant& held : grant.cards) {
      const auto position = index_of(held.card);
      if (!position) continue;
      holds[*position].vram_bytes += held.vram_bytes;
      holds[*position].share_percent += held.share_percent;
      ++holds[*position].jobs;
      holds[*position].whole = holds[*position].whole || held.whole;
      // An evicted job is charged what it had taken, which may be more; see accept_evict().
      const bool outgrown = job.vram_floor_bytes > 0 && held.vram_bytes == job.vram_floor_bytes;
      if (kind_of(job).taken_over() || outgrown || found.contains(id)) granted[*position] = false;
    }
  }
  for (const auto& [name, entry] : tenants_.entries()) {
    CHECK(entry.holds == tenants[name] && entry.waiting == waiting_of[name]);
    CHECK(entry.rate >= 0 && (entry.rate == 0 || entry.holds.cards > 0));
    CHECK(entry.terms == tenants_.terms_of(name));
    tenants.erase(name);
    waiting_of.erase(name);
  }
  CHECK(tenants.empty() && waiting_of.empty());
  CHECK(arrays.size() == array_counts_.size());
  for (const auto& [array, counts] : arrays) CHECK(array_counts_.at(array) == counts);
  CHECK(waiting == pending_.size() + asleep_.size());
  CHECK(waiting == counts_.queued + counts_.held);
  CHECK(aside_.size() == counts_.paused);
  CHECK(active_.size() == counts_.starting + counts_.running + counts_.paused);
  CHECK(deadlines_.size() == deadline_of_.size() && deadlines_.size() <= waiting);
  CHECK(ended == ended_.all().size() &&
        ended == counts_.completed + counts_.failed + counts_.cancelled);
  CHECK(host.cpus == host_holds_.cpus && host.ram_bytes == host_holds_.ram_bytes);
  for (std::size_t i = 0; i < holds.size(); ++i) {
    CHECK(holds[i].vram_bytes == card_holds_[i].vram_bytes && holds[i].jobs == card_holds_[i].jobs);
    CHECK(holds[i].share_percent == card_holds_[i].share_percent);
    CHECK(holds[i].whole == card_holds_[i].whole);
    // No card is over-committed: alone, or all of them within it. What was adopted was there.
    if (!granted[i]) continue;
    CHECK(!holds[i].whole || holds[i].jobs == 1);
    CHECK(holds[i].jobs <= 1 || holds[i].vram_bytes <= cards_[i].capacity_bytes());
  }
}

}  // namespace gpusched
