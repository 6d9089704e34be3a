// `set`: changes what was asked of jobs that wait, and the few things that can change while a job
// runs. Specs are shared and immutable, so the jobs of an array get one new spec together.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "core/apply/apply.h"
#include "core/apply/bulk_verb.h"
#include "core/apply/transitions.h"
#include "core/model/kind.h"
#include "core/model/patch_words.h"
#include "core/model/spec_conflicts.h"
#include "core/notify/target.h"
#include "core/state/dependency.h"

namespace gpusched {

// Waiting, such a job would have to wait; running, nothing would stop it.
bool beyond_longest(const StateView& state, const Job& job, Seconds limit) {
  const std::uint64_t longest = state.tenants().terms_of(job.tenant).time_limit_s;
  return longest != kNoLimit &&
         (limit == Seconds{0} || static_cast<std::uint64_t>(limit.count()) > longest);
}

namespace {

// Of all changes to a job together; a single one may be that large, too.
constexpr std::size_t kVariablesMost = 64U << 10;

std::optional<Refusal> check_variables(const JobSpec& spec) {
  std::size_t bytes = 0;
  for (const std::string& variable : spec.extras->variables) bytes += variable.size();
  if (bytes <= kVariablesMost) return std::nullopt;
  return Refusal{RefusalKind::kInvalid,
                 "the variables that were set for this job take more than 64 KiB"};
}

// A circle of jobs would wait for ever.
std::optional<Refusal> check_circle(const StateView& state, const SetAsked& asked) {
  const std::vector<JobId> before = all_waited_for(state, asked.patch.values().extras->after);
  for (const JobId id : asked.jobs) {
    if (!std::ranges::binary_search(before, id) || state.find(id)->ended()) continue;
    const auto& after = asked.patch.values().extras->after;
    if (std::ranges::find(after, id, &Dependency::job) != after.end()) {
      return Refusal{RefusalKind::kInvalid, "job " + to_string(id) + " cannot wait for itself"};
    }
    return Refusal{RefusalKind::kConflict,
                   "job " + to_string(id) + " cannot wait for jobs that wait for it themselves"};
  }
  return std::nullopt;
}

std::string why_not(const StateView& state, const SetAsked& asked, const Job& job) {
  const JobPatch& patch = asked.patch;
  if (job.ended()) return "has already ended";
  if (job.active() && patch.only_for_waiting()) {
    return std::string("is ") + state_name(job.state) + "; " +
           (patch.changes_what_runs() || patch.has(&SpecExtras::after) ? "what it runs, " : "") +
           "needs, group, begin and expiry can change only while it waits";
  }
  const char* const no_command = kind_of(job).no_command;
  if (no_command != nullptr && patch.changes_what_runs()) return no_command;
  if (job.active() && patch.has(&TimeRule::limit) && !may(asked.actor, Action::kExceedLimits) &&
      beyond_longest(state, job, patch.values().time.limit)) {
    return "runs, and its tenant's longest time limit is shorter";
  }
  return {};
}

// The jobs of an array share their specs, and so the words.
class ChangeWords {
 public:
  explicit ChangeWords(const JobPatch& patch) : patch_(patch) {}
  std::string of(const Job& before, const std::shared_ptr<const JobSpec>& after) {
    if (before.spec != spec_) {
      spec_ = before.spec;
      words_ = after == nullptr ? std::string() : words_of_change(patch_, *spec_, *after);
    }
    std::string words = words_;
    if (patch_.priority && *patch_.priority != before.priority) {
      words = "priority " + std::to_string(before.priority) + " → " +
              std::to_string(*patch_.priority) + (words.empty() ? "" : "; ") + words;
    }
    return words.empty() ? "set to what it was already" : words;
  }

 private:
  const JobPatch& patch_;
  std::shared_ptr<const JobSpec> spec_;
  std::string words_;
};

}  // namespace

std::optional<Refusal> renew_specs(const StateView& state, const SetAsked& asked,
                                   RenewedSpecs& renewed) {
  if (auto refusal = refuse_ids(state, asked.actor, asked.jobs, action_of_verb(asked))) {
    return refusal;
  }
  if (asked.patch.priority) {
    if (auto refusal = check_priorities(state, asked.actor, asked.jobs, asked.patch.priority)) {
      return refusal;
    }
  }
  if (!asked.patch.changes_spec()) return std::nullopt;
  if (asked.patch.has(&SpecExtras::after)) {
    if (auto refusal = check_dependencies(state, asked.patch.values())) return refusal;
    if (auto refusal = check_circle(state, asked)) return refusal;
  }
  if (auto fault = fault_of_targets(state.rules().known_receivers(), asked.patch.values())) {
    return Refusal{RefusalKind::kInvalid, std::move(*fault)};
  }
  for (const JobId id : asked.jobs) {
    const auto& spec = state.find(id)->spec;
    if (renewed.contains(spec)) continue;
    auto next = std::make_shared<JobSpec>(asked.patch.applied_to(*spec));
    if (asked.patch.has(&JobSpec::group)) {
      const std::string& user = state.find(id)->owner.user;
      next->group = group_for(state, user, next->group);
      if (auto refusal = check_group(user, next->group)) return refusal;
    }
    if (auto refusal = check_needs(state, next->needs)) return refusal;
    if (auto refusal = check_variables(*next)) return refusal;
    if (const std::uint64_t limit = next->extras->vram_limit_bytes;
        limit > 0 && limit < next->needs.vram_bytes) {
      return Refusal{RefusalKind::kInvalid,
                     "the VRAM limit must not be less than the VRAM that is asked for"};
    }
    // One that was there before is nothing to refuse another change for.
    if (auto conflict = conflict_in(*next, word_in_conflict);
        conflict && !conflict_in(*spec, word_in_conflict)) {
      return Refusal{RefusalKind::kInvalid, "job " + to_string(id) + ": " + *conflict};
    }
    if (next->shell && next->argv.size() > 1) {
      return Refusal{RefusalKind::kInvalid, "a line for the shell must be one text"};
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
  if (asked.patch.before) return move_in_queue(state, asked, now);
  const bool gives_limit = asked.patch.has(&TimeRule::limit);
  ChangeWords words(asked.patch);
  Changed changed;
  for (const JobId id : asked.jobs) {
    Job job = *state.find(id);
    if (std::string why = why_not(state, asked, job); !why.empty()) {
      changed.unchanged.emplace_back(id, std::move(why));
      continue;
    }
    const auto found = renewed.find(job.spec);
    const auto next = found == renewed.end() ? nullptr : found->second;
    state.note(job, "changed", words.of(job, next), now);
    if (asked.patch.priority) job.priority = *asked.patch.priority;
    if (next != nullptr) job.spec = next;
    // Another command is another program to past runs.
    if (asked.patch.changes_what_runs()) job.signature = {};
    const bool tell_shim = job.active() && gives_limit && kind_of(job).has_shim;
    const AttemptId attempt = job.current_attempt();
    if (asked.patch.has(&SpecExtras::vram_limit_bytes)) limit_changed(state, job, now);
    state.put(std::move(job), now);
    changed.jobs.push_back(id);
    if (tell_shim) applied.effects.emplace_back(ChangeTime{attempt});
  }
  applied.answer = std::move(changed);
  return applied;
}

}  // namespace gpusched
