#include "core/explain/past_moment.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "core/share/order.h"

namespace gpusched {
namespace {

using Stretches = std::map<JobId, std::vector<PastSpan>>;

bool was_there(const Job& job, Wall at) {
  const auto* ended = std::get_if<Ended>(&job.state);
  return job.submitted_at <= at && (ended == nullptr || ended->ended_at > at);
}

// The latest stretch of each job that holds: where two meet, the second.
Stretches stretches_at(const std::vector<PastSpan>& spans, Wall at) {
  Stretches found;
  for (const PastSpan& span : spans) {
    if (!is_of_job(span.kind) || span.from > at || span.until < at) continue;
    std::vector<PastSpan>& stretch = found[span.attempt.job];
    if (!stretch.empty() && stretch.front().from < span.from) stretch.clear();
    if (stretch.empty() || stretch.front().from == span.from) stretch.push_back(span);
  }
  return found;
}

// Of a job that is gone: what its rows tell.
Job job_gone(const PastSpan& span, std::size_t cards) {
  auto spec = std::make_shared<JobSpec>();
  spec->argv = {span.name.empty() ? "unknown" : span.name};
  spec->name = span.name;
  spec->needs.gpus = CardCount{static_cast<int>(cards), static_cast<int>(cards)};
  spec->needs.vram_bytes = span.whole ? 0 : span.vram_bytes.value_or(0);
  Job job;
  job.id = span.attempt.job;
  job.spec = std::move(spec);
  job.owner = span.owner;
  job.tenant = span.tenant.empty() ? span.owner.user : span.tenant;
  job.priority = span.priority;
  job.submitted_at = span.submitted_at;
  return job;
}

Grant grant_then(const Job& job, const std::vector<PastSpan>& stretch) {
  const Grant* last = grant_of(job);
  if (last != nullptr && job.attempt == stretch.front().attempt.number) return *last;
  Grant grant;
  grant.cpus = job.spec->needs.cpus;
  grant.ram_bytes = job.spec->needs.ram_bytes;
  for (const PastSpan& span : stretch) {
    if (!span.card) continue;
    grant.cards.push_back({.card = *span.card,
                           .vram_bytes = span.vram_bytes.value_or(kUnknownHold),
                           .share_percent = job.spec->needs.share_percent,
                           .whole = span.whole});
  }
  return grant;
}

Job active_then(Job job, const std::vector<PastSpan>& stretch) {
  const PastSpan& span = stretch.front();
  Running running{.grant = grant_then(job, stretch), .started_at = span.from};
  job.attempt = span.attempt.number;
  job.state = std::move(running);
  if (span.kind == PastKind::kAside) {
    set_aside(job, {.phase = AsidePhase::kPaused,
                    .mechanism = mechanism_named(span.mechanism).value_or(Mechanism::kFreeze),
                    .by_hand = span.for_job == JobId{},
                    .for_job = span.for_job,
                    .since = span.from});
  }
  return job;
}

Job waiting_then(Job job, bool held) {
  job.state = Queued{};
  if (held) job.state = Held{};
  return job;
}

// Its cards as if nobody had looked at them yet, with the drains of then.
void forget_what_was_seen(State& state, const std::vector<Drain>& drains) {
  std::vector<std::string> drained;
  for (const auto& [uuid, drain] : state.drains()) drained.push_back(uuid);
  for (const std::string& uuid : drained) state.remove_drain(uuid);
  for (const Drain& drain : drains) state.put(drain);
  state.seen().views.assign(state.cards().size(), CardView{});
  std::vector<Card> cards = state.cards();
  for (Card& card : cards) card.usable = true;
  state.set_cards(std::move(cards));
}

}  // namespace

Excerpt excerpt_then(const StateView& state, Wall at, std::optional<JobId> asked, Now now) {
  Excerpt excerpt{.machine = machine_of(state), .jobs = {}, .now = now};
  std::unordered_set<JobId> taken;
  const auto take = [&](JobId id) {
    const Job* job = state.find(id);
    if (job == nullptr || state.in_open_submission(id) || !was_there(*job, at)) return;
    if (taken.insert(id).second) excerpt.jobs.push_back(*job);
  };
  if (asked) take(*asked);
  for (const JobId id : state.active()) take(id);
  for (const JobId id : waiting_in_order(state, kThenWaitingMost, now)) take(id);
  std::size_t looked = 0;
  auto ended = state.ended().lower_bound({at, JobId{}});
  for (; ended != state.ended().end() && looked < kThenEndedMost; ++ended, ++looked) {
    take(ended->second);
  }
  if (ended != state.ended().end()) excerpt.left_out = state.ended().size() - looked;
  return excerpt;
}

StateThen state_then(PastMoment moment) {
  const Now now = moment.known.now;
  const Microseconds ago = now.wall - moment.at;
  StateThen then{.state = std::move(moment.known.machine),
                 .now = {moment.at, now.boot - ago},
                 .on_cards = {},
                 .aside = {},
                 .waiting = {}};
  State& state = then.state;
  forget_what_was_seen(state, moment.drains);
  std::vector<Tenant> tenants;
  for (const auto& [name, entry] : state.tenants().entries()) {
    if (entry.kept) tenants.push_back(*entry.kept);
  }
  std::map<JobId, Job> known;
  for (Job& job : moment.known.jobs) known.emplace(job.id, std::move(job));
  for (auto& [id, stretch] : stretches_at(moment.spans, moment.at)) {
    const auto found = known.find(id);
    // It ended at this very moment, or was asked to and has gone on since.
    Job job =
        found != known.end() ? std::move(found->second) : job_gone(stretch.front(), stretch.size());
    if (found != known.end()) known.erase(found);
    state.put(active_then(std::move(job), stretch), then.now);
    auto& list = stretch.front().kind == PastKind::kAside ? then.aside : then.on_cards;
    std::ranges::move(stretch, std::back_inserter(list));
  }
  for (auto& [id, job] : known) {
    if (!was_there(job, moment.at)) continue;
    state.put(waiting_then(std::move(job), moment.held.contains(id)), then.now);
  }
  // Putting a running job counts from there on; what was used before stands.
  for (Tenant& tenant : tenants) state.put(std::move(tenant));
  state.keep_changes();
  then.waiting = waiting_in_order(state, kThenWaitingMost + kThenEndedMost, then.now);
  return then;
}

}  // namespace gpusched
