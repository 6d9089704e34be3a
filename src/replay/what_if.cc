#include "replay/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "replay/history.h"

namespace gpusched::replay {
namespace {

// Moving aside has no twin in a replay: nobody would bring the jobs back.
Rules replayed_rules(Rules rules) {
  rules.preemption = Preemption::kOff;
  return rules;
}

Result<void> remove(Machine& machine, const std::string& word) {
  auto removed = remove_card(machine, word);
  if (removed) return {};
  return failure(removed.error().code, "remove_cards: " + removed.error().message);
}

std::string number_named(const Machine& machine, const std::string& alias) {
  const auto card = std::ranges::find(machine.cards, alias, &Card::alias);
  return card == machine.cards.end() ? alias : std::to_string(number_of(card->number));
}

Result<void> check_tenants(const WhatIf& asked, const std::vector<PastJob>& jobs) {
  const auto has_jobs = [&](const std::string& tenant) {
    return std::ranges::any_of(jobs, [&](const PastJob& one) { return one.job.tenant == tenant; });
  };
  if (!asked.without_tenant.empty() && !has_jobs(asked.without_tenant)) {
    return failure(ErrorCode::kNotFound, no_jobs_of("without_tenant", asked.without_tenant));
  }
  for (const auto& [tenant, priority] : asked.priority_of) {
    if (has_jobs(tenant)) continue;
    return failure(ErrorCode::kNotFound, no_jobs_of("priority_of", tenant));
  }
  return {};
}

SimulateAsked terms_of(const WhatIf& asked, Machine machine, Rules rules) {
  SimulateAsked terms;
  terms.machine = std::move(machine);
  terms.rules = std::move(rules);
  terms.weights = asked.weights;
  terms.give_up = asked.give_up;
  return terms;
}

// Takes out what one of the two could never run: how many.
std::size_t keep_what_runs(const SimulateAsked& now, const SimulateAsked& then,
                           std::vector<PastJob>& jobs) {
  Trace trace;
  for (const PastJob& one : jobs) trace.push_back(one.job);
  const std::vector<bool> here = can_run(trace, now.machine, now.rules);
  const std::vector<bool> there = can_run(trace, then.machine, then.rules);
  std::vector<PastJob> kept;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (here[i] && there[i]) kept.push_back(std::move(jobs[i]));
  }
  jobs.swap(kept);
  return kept.size() - jobs.size();
}

Result<Simulated> replayed(const SimulateAsked& asked, Trace trace) {
  auto done = simulate_trace(asked, std::move(trace));
  if (done || done.error().code != ErrorCode::kInternal) return done;
  return failure(ErrorCode::kConflict,
                 "the replay comes to a stop: there are jobs that nothing lets start");
}

}  // namespace

std::string no_jobs_of(std::string_view field, const std::string& tenant) {
  return fmt::format("{}: no job of tenant '{}' has run and ended in that time", field, tenant);
}

bool WhatIf::changes_something() const {
  return !add_cards.empty() || !remove_cards.empty() || policy != "default" || cap_percent ||
         !without_tenant.empty() || !priority_of.empty();
}

Result<Machine> changed_machine(const WhatIf& asked) {
  if (!is_policy(asked.policy, Format::kNative)) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("policy: there is no '{}'; there are {}", asked.policy.substr(0, 80),
                               policy_names(Format::kNative)));
  }
  Machine machine = asked.machine;
  for (const std::string& words : asked.add_cards) {
    if (auto added = add_card(machine, words.substr(0, 80)); !added) {
      return failure(added.error().code, "add_cards: " + added.error().message);
    }
  }
  for (const CardNumber number : asked.remove_cards.numbers) {
    auto removed = remove(machine, std::to_string(number_of(number)));
    if (!removed) return failure(removed.error());
  }
  for (const std::string& name : asked.remove_cards.names) {
    auto removed = remove(machine, number_named(asked.machine, name.substr(0, 80)));
    if (!removed) return failure(removed.error());
  }
  if (machine.cards.empty() && asked.policy != "default") {
    return failure(ErrorCode::kConflict,
                   fmt::format("policy: {} gives cards, and this machine has none", asked.policy));
  }
  return machine;
}

Result<WhatIfDone> replay_what_if(const WhatIf& asked, std::vector<PastJob> jobs) {
  auto machine = changed_machine(asked);
  if (!machine) return failure(machine.error());
  if (auto known = check_tenants(asked, jobs); !known) return failure(known.error());
  const SimulateAsked now = terms_of(asked, asked.machine, replayed_rules(asked.rules));
  SimulateAsked then = terms_of(asked, std::move(*machine), now.rules);
  then.policy = asked.policy;
  if (asked.cap_percent) {
    then.rules.share_cap_percent = *asked.cap_percent;
    for (Card& card : then.machine.cards) card.share_cap_percent.reset();
  }
  WhatIfDone done;
  done.too_large = keep_what_runs(now, then, jobs);
  if (jobs.empty()) {
    return failure(ErrorCode::kConflict,
                   "no job of that time has run and ended here that could "
                   "run on this machine, and on the changed one");
  }
  done.past = past_of(std::move(jobs), asked.machine);
  auto as_configured = replayed(now, done.past.trace);
  if (!as_configured) return failure(as_configured.error());
  done.as_configured = std::move(*as_configured);
  Trace trace;
  for (std::size_t i = 0; i < done.past.trace.size(); ++i) {
    const TraceJob& job = done.past.trace[i];
    if (!asked.without_tenant.empty() && job.tenant == asked.without_tenant) continue;
    trace.push_back(job);
    done.in_past.push_back(i);
    const auto priority = asked.priority_of.find(job.tenant);
    if (priority != asked.priority_of.end()) trace.back().priority = priority->second;
  }
  if (trace.empty()) {
    return failure(ErrorCode::kConflict,
                   fmt::format("without_tenant: all jobs of that time are of tenant '{}'",
                               asked.without_tenant));
  }
  if (!asked.changes_something()) {
    done.would = done.as_configured;
    return done;
  }
  auto would = replayed(then, std::move(trace));
  if (!would) return failure(would.error());
  done.would = std::move(*would);
  return done;
}

double wait_of(const Trace& trace, const Outcome& outcome, std::size_t job) {
  const JobOutcome& seen = outcome.jobs[job];
  return std::chrono::duration<double>(seen.end - trace[job].submit - seen.on_cards).count();
}

}  // namespace gpusched::replay
