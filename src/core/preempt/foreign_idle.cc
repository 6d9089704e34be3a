#include "core/preempt/foreign_idle.h"

#include <algorithm>

#include "base/text.h"
#include "core/admit/tentative.h"
#include "core/model/kind.h"
#include "core/place/placement.h"
#include "core/share/order.h"

namespace gpusched {
namespace {

// Of those who wait, how many are asked whether it would help them.
constexpr std::size_t kWaitingAsked = 16;
// How long one that was adopted may take to be moved.
constexpr Seconds kGivenUpAfter{60};
constexpr Seconds kLookEvery{1};
// A process that asked for a place goes before one that only sits on one.
constexpr int kPriority = 10;
// One that could not be moved is not tried again at once.
constexpr Seconds kTryAgainAfter{300};

std::string_view program_in(std::string_view command) {
  command = command.substr(0, command.find(' '));
  const std::size_t slash = command.rfind('/');
  return slash == std::string_view::npos ? command : command.substr(slash + 1);
}

bool is_allowed(const SeenProcess& process, const std::vector<ForeignRule>& rules) {
  return std::ranges::any_of(rules, [&](const ForeignRule& rule) {
    return (rule.user == "*" || rule.user == process.user) &&
           (rule.program == "*" || rule.program == program_in(process.command));
  });
}

// On every card where it is, for as long as the rules bear.
bool idles_everywhere(const StateView& state, int pid, Now now) {
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    for (const SeenProcess& process : state.view_of(i).processes) {
      if (process.pid != pid) continue;
      const bool long_enough =
          process.idle_since && now.wall - *process.idle_since >= state.rules().room.idle_after;
      if (!long_enough || !state.cards()[i].moves) return false;
    }
  }
  return true;
}

// The largest first: fewer have to go.
std::vector<const SeenProcess*> candidates_on(const StateView& state, std::size_t card,
                                              const std::vector<ForeignRule>& rules, Now now) {
  std::vector<const SeenProcess*> found;
  for (const SeenProcess& process : state.view_of(card).processes) {
    if (process.attempt || process.ignored || process.vram_bytes.value_or(0) == 0) continue;
    if (is_allowed(process, rules) && idles_everywhere(state, process.pid, now)) {
      found.push_back(&process);
    }
  }
  std::ranges::sort(found, [](const SeenProcess* a, const SeenProcess* b) {
    return std::pair(*b->vram_bytes, a->pid) < std::pair(*a->vram_bytes, b->pid);
  });
  return found;
}

// So many of them have to go for somebody to start on this card; empty: it helps nobody.
std::vector<int> enough_for_somebody(const StateView& state, std::size_t card,
                                     const std::vector<const SeenProcess*>& candidates,
                                     const std::vector<JobId>& waiting, Now now) {
  for (const JobId id : waiting) {
    const Job& job = *state.find(id);
    if (!job.spec->needs.wants_cards()) continue;
    Tentative free(state);
    if (place(state, free, job, nullptr, now)) continue;  // It starts without.
    std::vector<int> going;
    for (const SeenProcess* process : candidates) {
      std::uint64_t& ungranted = free.cards[card].ungranted.vram_bytes;
      ungranted -= std::min(ungranted, *process->vram_bytes);
      going.push_back(process->pid);
      if (place(state, free, job, nullptr, now)) return going;
    }
  }
  return {};
}

std::string user_seen(const StateView& state, const RunningProcess& process) {
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    for (const SeenProcess& seen : state.view_of(i).processes) {
      if (seen.pid == process.pid && !seen.user.empty()) return seen.user;
    }
  }
  return std::to_string(process.uid);
}

bool is_still_here(const Job& job) {
  const auto* running = std::get_if<Running>(&job.state);
  return running != nullptr && running->stopping == StopReason::kNone && !is_aside(job);
}

}  // namespace

std::vector<ForeignRule> foreign_rules_of(std::string_view text) {
  std::vector<ForeignRule> rules;
  while (!text.empty()) {
    const std::string_view word = trimmed(take_until(text, ','));
    if (word.empty()) continue;
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) {
      rules.push_back({"*", std::string(word)});
    } else {
      rules.push_back({std::string(word.substr(0, colon)), std::string(word.substr(colon + 1))});
    }
  }
  return rules;
}

ForeignLook look_at_foreign(const StateView& state, const std::vector<ForeignRule>& rules,
                            Now now) {
  ForeignLook look;
  const bool anybody_waits = state.pending().size() > 0;
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    if (!adopted_by_rule(job) || !is_still_here(job)) continue;
    const auto since = now.wall - std::get<Running>(job.state).started_at;
    if (!anybody_waits || since >= kGivenUpAfter) look.let_go.push_back(id);
  }
  const bool moves =
      state.rules().preemption == Preemption::kAuto && state.rules().room.idle_after > Seconds{0};
  if (rules.empty() || !anybody_waits || !moves) return look;
  std::vector<JobId> waiting;
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    if (!state.cards()[i].usable) continue;
    const auto candidates = candidates_on(state, i, rules, now);
    if (candidates.empty()) continue;
    if (waiting.empty()) waiting = waiting_in_order(state, kWaitingAsked, now);
    for (const int pid : enough_for_somebody(state, i, candidates, waiting, now)) {
      if (std::ranges::find(look.adopt, pid) == look.adopt.end()) look.adopt.push_back(pid);
    }
    // One card's worth at a time: whom it helps is worked out anew afterwards.
    if (!look.adopt.empty()) return look;
  }
  return look;
}

ForeignLook ForeignWatch::look(const StateView& state, Now now) {
  if (terms_.rules.empty() || now.boot - looked_ < kLookEvery) return {};
  looked_ = now.boot;
  std::erase_if(tried_, [&](const auto& one) { return now.boot - one.second > kTryAgainAfter; });
  return look_at_foreign(state, terms_.rules, now);
}

std::optional<AdoptAsked> ForeignWatch::adopt(const StateView& state, const RunningProcess& process,
                                              Now now) {
  const bool within_reach =
      terms_.uid == 0 || (process.uid == terms_.uid && process.plain_identity);
  // Moved aside, the daemon would stand still with it.
  const bool above_us = std::ranges::find(process.tree, terms_.pid) != process.tree.end();
  if (!within_reach || above_us) return std::nullopt;
  if (!tried_.emplace(std::pair(process.pid, process.started), now.boot).second) {
    return std::nullopt;
  }
  auto spec = std::make_shared<JobSpec>();
  spec->argv = process.argv;
  spec->working_directory = process.working_directory;
  spec->environment = terms_.environment;
  spec->name = "idle foreign process";
  spec->time.grace = terms_.grace;
  spec->adopted =
      std::make_shared<const AdoptedProcess>(AdoptedProcess{process.pid, process.started, true});
  const std::string user = user_seen(state, process);
  return AdoptAsked{.actor = ourselves(),
                    .owner = {process.uid, process.gid, user},
                    .tenant = state.tenants().tenant_of(user),
                    .spec = std::move(spec),
                    .priority = kPriority,
                    .tree = process.tree};
}

}  // namespace gpusched
