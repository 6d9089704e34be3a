// `set`: changes what was asked of jobs that wait, and the few things that can change while a job
// runs. Specs are shared and immutable, so the jobs of an array get one new spec together.
#include <map>

#include "core/apply/transitions.h"

namespace gpusched {
namespace {

bool changes_needs(const JobPatch& patch) {
  return patch.gpus || patch.vram_bytes || patch.share_percent || patch.exclusive || patch.cpus ||
         patch.ram_bytes || patch.cpu_use || patch.only_cards || patch.avoid_cards ||
         patch.card_type;
}

bool only_for_waiting(const JobPatch& patch) {
  return changes_needs(patch) || patch.group || patch.begin || patch.expire;
}

bool changes_spec(const JobPatch& patch) {
  return only_for_waiting(patch) || patch.name || patch.tags || patch.time_limit || patch.retries ||
         patch.deadline || patch.vram_limit_bytes;
}

template <class T>
void assign(T& field, const std::optional<T>& value) {
  if (value) field = *value;
}

JobSpec patched(const JobSpec& spec, const JobPatch& patch) {
  JobSpec next = spec;
  assign(next.name, patch.name);
  assign(next.group, patch.group);
  assign(next.time.limit, patch.time_limit);
  assign(next.retry.retries, patch.retries);
  RareAsks rare = *next.rare;
  assign(rare.tags, patch.tags);
  if (patch.begin) rare.begin = patch.begin;
  if (patch.expire) rare.expire = patch.expire;
  if (patch.deadline) rare.deadline = patch.deadline;
  assign(rare.vram_limit_bytes, patch.vram_limit_bytes);
  next.rare = std::move(rare);
  assign(next.needs.gpus, patch.gpus);
  assign(next.needs.vram_bytes, patch.vram_bytes);
  assign(next.needs.share_percent, patch.share_percent);
  assign(next.needs.exclusive, patch.exclusive);
  assign(next.needs.cpus, patch.cpus);
  assign(next.needs.ram_bytes, patch.ram_bytes);
  assign(next.needs.cpu_use, patch.cpu_use);
  CardFilter cards = *next.needs.cards;
  assign(cards.only, patch.only_cards);
  assign(cards.avoid, patch.avoid_cards);
  assign(cards.type, patch.card_type);
  next.needs.cards = std::move(cards);
  return next;
}

}  // namespace

// Waiting, such a job would have to wait; running, nothing would stop it.
bool beyond_longest(const StateView& state, const Job& job, Seconds limit) {
  const std::uint64_t longest = state.tenants().terms_of(job.tenant).time_limit_s;
  return longest != kNoLimit &&
         (limit == Seconds{0} || static_cast<std::uint64_t>(limit.count()) > longest);
}

std::optional<Refusal> renew_specs(const StateView& state, const SetAsked& asked,
                                   RenewedSpecs& renewed) {
  if (auto refusal = refuse_ids(state, asked.actor, asked.jobs)) return refusal;
  if (asked.patch.priority) {
    if (auto refusal = check_priorities(state, asked.actor, asked.jobs, asked.patch.priority)) {
      return refusal;
    }
  }
  if (!changes_spec(asked.patch)) return std::nullopt;
  for (const JobId id : asked.jobs) {
    const auto& spec = state.find(id)->spec;
    if (renewed.contains(spec)) continue;
    auto next = std::make_shared<const JobSpec>(patched(*spec, asked.patch));
    if (auto refusal = check_needs(state, next->needs)) return refusal;
    if (const std::uint64_t limit = next->rare->vram_limit_bytes;
        limit > 0 && limit < next->needs.vram_bytes) {
      return Refusal{RefusalKind::kInvalid,
                     "the VRAM limit must not be less than the VRAM that is asked for"};
    }
    renewed.emplace(spec, std::move(next));
  }
  return std::nullopt;
}

Applied apply_set(State& state, const SetAsked& asked, Now now) {
  Applied applied;
  RenewedSpecs own;
  RenewedSpecs& renewed = asked.renewed ? *asked.renewed : own;
  if (auto refusal = renew_specs(state, asked, renewed)) {
    applied.answer = *refusal;
    return applied;
  }
  Changed changed;
  for (const JobId id : asked.jobs) {
    Job job = *state.find(id);
    if (job.ended()) {
      changed.unchanged.emplace_back(id, "has already ended");
      continue;
    }
    if (job.active() && only_for_waiting(asked.patch)) {
      changed.unchanged.emplace_back(
          id, std::string("is ") + state_name(job.state) +
                  "; needs, group, begin and expiry can change only while it waits");
      continue;
    }
    if (job.active() && asked.patch.time_limit &&
        beyond_longest(state, job, *asked.patch.time_limit) &&
        !may(asked.actor, Action::kExceedLimits)) {
      changed.unchanged.emplace_back(id, "runs, and its tenant's longest time limit is shorter");
      continue;
    }
    if (asked.patch.priority) job.priority = *asked.patch.priority;
    if (const auto found = renewed.find(job.spec); found != renewed.end()) job.spec = found->second;
    const bool tell_shim = job.active() && asked.patch.time_limit && kind_of(job).has_shim;
    const AttemptId attempt = job.current_attempt();
    state.note(job, "changed", "changed on request", now);
    if (asked.patch.vram_limit_bytes) limit_changed(state, job, now);
    state.put(std::move(job), now);
    changed.jobs.push_back(id);
    if (tell_shim) applied.effects.emplace_back(ChangeTime{attempt});
  }
  applied.answer = std::move(changed);
  return applied;
}

}  // namespace gpusched
