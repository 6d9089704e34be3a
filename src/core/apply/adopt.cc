// Processes that were running before they became jobs. What they have on their cards is only
// counted under their owner's name from now on; for more than that they are asked what every job is
// asked.
#include <algorithm>

#include "base/check.h"
#include "core/admit/admission.h"
#include "core/apply/transitions.h"
#include "core/model/card_rules.h"
#include "core/model/kind.h"
#include "core/preempt/idle_holder.h"
#include "core/share/quota.h"

namespace gpusched {
namespace {

bool is_in(const std::vector<int>& tree, int pid) {
  return std::ranges::find(tree, pid) != tree.end();
}

// What the process and its descendants have on a card. Nullopt: none of them is there.
std::optional<std::uint64_t> seen_on(const CardView& view, const std::vector<int>& tree) {
  std::optional<std::uint64_t> bytes;
  for (const SeenProcess& process : view.processes) {
    if (is_in(tree, process.pid)) bytes = bytes.value_or(0) + process.vram_bytes.value_or(0);
  }
  return bytes;
}

bool is_named(const StateView& state, const CardList& wanted, const Card& card) {
  if (std::ranges::find(wanted.numbers, card.number) != wanted.numbers.end()) return true;
  return std::ranges::any_of(wanted.names, [&](const std::string& name) {
    const auto named = cards_named(state.cards(), name);
    return std::ranges::find(named, card.number) != named.end();
  });
}

// Where it is, and where it says that it will be.
Grant grant_of_adopted(const StateView& state, const AdoptAsked& asked) {
  const Needs& asks = asked.spec->needs;
  Grant grant{.cards = {}, .cpus = asks.cpus, .ram_bytes = asks.ram_bytes};
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    const Card& card = state.cards()[i];
    const auto bytes = seen_on(state.view_of(i), asked.tree);
    if (!bytes && !is_named(state, asks.cards->only, card)) continue;
    Needs needs = asks;
    if (needs.vram_bytes == 0) needs.vram_bytes = bytes.value_or(0);
    grant.cards.push_back(grant_on(card, needs));
    // A card is one job's at most, whoever else is there.
    if (state.holds_on(i).whole) grant.cards.back().whole = false;
  }
  return grant;
}

std::optional<JobId> job_of(const StateView& state, const AdoptAsked& asked) {
  for (const JobId id : state.active()) {
    const auto& adopted = state.find(id)->spec->adopted;
    if (adopted && is_in(asked.tree, adopted->pid)) return id;
  }
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    for (const SeenProcess& process : state.view_of(i).processes) {
      if (!process.attempt || !is_in(asked.tree, process.pid)) continue;
      const Job* job = state.find(process.attempt->job);
      if (job != nullptr && job->active()) return job->id;
    }
  }
  return std::nullopt;
}

// The need as it is shown from now on.
std::shared_ptr<const JobSpec> spec_with_need(const AdoptAsked& asked, const Grant& grant) {
  auto spec = std::make_shared<JobSpec>(*asked.spec);
  const int cards = static_cast<int>(grant.cards.size());
  spec->needs.gpus = {cards, cards};
  for (const CardGrant& held :
       asked.spec->needs.vram_bytes == 0 ? grant.cards : std::vector<CardGrant>{}) {
    if (!held.whole) {
      spec->needs.vram_bytes = std::max(spec->needs.vram_bytes, held.vram_bytes);
    }
  }
  return spec;
}

// REQUIRES: it is on its cards. What it has there was looked at after it returned to them. Before
// that nobody would know of it, were it not for the job, and others would be let in.
bool was_seen_since_return(const StateView& state, const Job& job) {
  if (presence_of(job) == nullptr) return true;
  const OnCards* back = presence_of(job)->back();
  return std::ranges::all_of(grant_of(job)->cards, [&](const CardGrant& held) {
    const auto position = state.index_of(held.card);
    if (!position) return true;
    const CardView& view = state.view_of(*position);
    return view.condition == CardCondition::kUnseen || view.at.wall > back->since;
  });
}

// What it says that it will use, and does not use yet.
std::optional<Refusal> check_new_use(const StateView& state, const AdoptAsked& asked,
                                     const Grant& grant, const std::string& name) {
  for (const CardGrant& held : grant.cards) {
    const std::size_t position = *state.index_of(held.card);
    const auto seen = seen_on(state.view_of(position), asked.tree);
    if (seen && held.vram_bytes <= *seen) continue;
    const std::string card = "card " + std::to_string(number_of(held.card));
    if (!seen && state.pending().size() > 0) {
      return Refusal{RefusalKind::kConflict,
                     name + " is not on " + card +
                         " yet, and jobs wait for cards; adopt it when it is there, or submit it"};
    }
    const CardHolds& holds = state.holds_on(position);
    const std::uint64_t left =
        holds.jobs == 0 ? 0 : headroom_of(state.cards()[position], state.rules());
    const bool fits =
        seen ? held.vram_bytes - *seen + left <= room_on(state.cards()[position], holds)
             : fits_on(state.cards()[position], holds, held, state.rules());
    if (fits) continue;
    return Refusal{RefusalKind::kConflict,
                   card + " has no room for what " + name + " is said to use there"};
  }
  return std::nullopt;
}

std::optional<Refusal> check_quota(const StateView& state, const AdoptAsked& asked,
                                   const Grant& grant, Now now) {
  Job job;
  job.spec = asked.spec;
  job.owner = asked.owner;
  job.tenant = asked.tenant;
  job.priority = asked.priority;
  const Tentative free(state);
  if (const auto stop = quota_stop(state, free, job, now)) {
    return Refusal{RefusalKind::kConflict, describe(*stop)};
  }
  if (within_quota(state, free, job, grant, now)) return std::nullopt;
  return Refusal{RefusalKind::kConflict,
                 "tenant '" + asked.tenant + "' would hold more than its quota"};
}

}  // namespace

std::optional<Refusal> check_adopt(const StateView& state, const AdoptAsked& asked, Now now) {
  CHECK(asked.spec != nullptr && asked.spec->adopted != nullptr);
  const std::string name = "process " + std::to_string(asked.spec->adopted->pid);
  if (const auto job = job_of(state, asked)) {
    return Refusal{RefusalKind::kConflict,
                   name + " belongs to job " + to_string(*job) + " already"};
  }
  if (auto refusal = check_needs(state, asked.spec->needs)) return refusal;
  if (auto refusal = check_priority(state, asked.tenant, asked.priority, asked.actor)) {
    return refusal;
  }
  const Grant grant = grant_of_adopted(state, asked);
  if (grant.cards.empty()) {
    return Refusal{RefusalKind::kInvalid,
                   name + " is on no card that is watched here; say which one it will use (--gpu)"};
  }
  for (const CardGrant& held : grant.cards) {
    const Card& card = state.cards()[*state.index_of(held.card)];
    if (card.managed) continue;
    return Refusal{RefusalKind::kConflict, name + " is on card " +
                                               std::to_string(number_of(held.card)) +
                                               ", which is not managed here"};
  }
  // Nobody asked for it: it is adopted for being in the way.
  if (asked.spec->adopted->by_rule) return std::nullopt;
  if (auto refusal = check_quota(state, asked, grant, now)) return refusal;
  return check_new_use(state, asked, grant, name);
}

Applied apply_adopt(State& state, const AdoptAsked& asked, Now now) {
  if (auto refusal = check_adopt(state, asked, now)) return refused(std::move(*refusal));
  Job job;
  job.id = state.next_job();
  Grant grant = grant_of_adopted(state, asked);
  job.spec = spec_with_need(asked, grant);
  job.owner = asked.owner;
  job.tenant = asked.tenant;
  job.priority = asked.priority;
  job.submitted_at = now.wall;
  job.attempt = 1;
  job.state = Starting{.grant = std::move(grant), .decided_at = now.wall};
  const JobId id = job.id;
  const AttemptId attempt = job.current_attempt();
  const AdoptedProcess& process = *job.spec->adopted;
  state.note(job, "adopted",
             "process " + std::to_string(process.pid) +
                 (process.by_rule ? " sits idle on memory that others wait for: a rule says that "
                                    "it may be moved aside"
                                  : " was adopted with priority " + std::to_string(job.priority)),
             now);
  state.put(std::move(job), now);
  return {.answer = Submitted{id, 1, false}, .effects = {Launch{attempt}}, .follow_up = {}};
}

Applied adopt_again(State& state, Job job, const std::string& why, Now now) {
  Grant grant = *grant_of(job);
  const StopReason stopping = stopping_of(job);
  ++job.attempt;
  job.state = Starting{.grant = std::move(grant), .decided_at = now.wall, .stopping = stopping};
  state.note(job, "adopted", why + "; it is tried again", now);
  const AttemptId attempt = job.current_attempt();
  state.put(std::move(job), now);
  return {.answer = {}, .effects = {Launch{attempt}}, .follow_up = {}};
}

void let_go_if_asked(const StateView& state, const Job& job, std::vector<Effect>& effects) {
  if (stopping_of(job) != StopReason::kLetGo || is_aside(job)) return;
  if (was_seen_since_return(state, job)) effects.emplace_back(LetGo{job.current_attempt()});
}

void release_adopted_on(const StateView& state, CardNumber card, std::vector<Effect>& effects) {
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    // One that was never away was let go when that was asked for.
    if (presence_of(job) == nullptr) continue;
    if (given_on(job, card) != nullptr) let_go_if_asked(state, job, effects);
  }
}

Applied apply_let_go(State& state, const LetGoAsked& asked, Now now) {
  return change_each(
      state, asked.actor, asked.jobs,
      [&](Job job, std::vector<Effect>& effects) {
        if (job.ended()) return std::string("has already ended");
        if (const char* why = kind_of(job).not_let_go) return std::string(why);
        const StopReason stopping = stopping_of(job);
        if (stopping == StopReason::kLetGo) return std::string("is being let go already");
        if (stopping != StopReason::kNone) return std::string("is being stopped");
        stopping_in(job) = StopReason::kLetGo;
        if (is_aside(job)) {
          // It cannot go on by itself from there.
          ask_back(change_aside(job));
          state.note(job, state_name(job.state), "to be let go as soon as it is back on its cards",
                     now);
        } else {
          state.note(job, "letting go", "its process is to go on by itself", now);
          // A shim that takes it over right now is told then.
          if (std::holds_alternative<Running>(job.state)) let_go_if_asked(state, job, effects);
        }
        state.put(std::move(job), now);
        return std::string();
      },
      Action::kChangeJob);
}

}  // namespace gpusched
