#include "core/alarm/gather.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/words.h"
#include "core/admit/tentative.h"
#include "core/decide/limits.h"
#include "core/model/kind.h"
#include "core/model/program.h"
#include "core/place/placement.h"
#include "core/preempt/over_quota.h"
#include "core/state/belief.h"
#include "core/state/gpu_hours.h"

namespace gpusched {
namespace {

// So little is nobody's to bother about.
constexpr std::uint64_t kLittle = 256ULL << 20;
// Shapes that are looked at for one that fits on a free card.
constexpr int kShapesLooked = 16;
constexpr std::ptrdiff_t kFactsLooked = 32;

void take_view(const StateView& state, std::size_t i, CardFacts& card) {
  const CardView& view = state.view_of(i);
  card.condition = view.condition;
  card.reason = view.reason;
  if (view.condition != CardCondition::kOk) return;
  card.used_bytes = view.used_bytes;
  card.corrected = view.vitals.corrected_errors;
  card.uncorrected = view.vitals.uncorrected_errors;
  card.temperature = view.vitals.temperature_celsius;
  std::uint64_t foreign = 0;
  std::uint64_t ours = 0;
  bool all_known = true;
  for (const SeenProcess& process : view.processes) {
    if (!process.vram_bytes) {
      all_known = false;
      continue;
    }
    if (process.attempt) ours += *process.vram_bytes;
    if (!process.attempt && !process.server && !process.ignored) foreign += *process.vram_bytes;
  }
  // What is listed is there, whatever else there may be.
  if (all_known || foreign > 0) card.foreign_bytes = foreign;
  if (all_known) card.used_by_jobs = ours;
}

void take_drain(const StateView& state, const Card& card, CardFacts& facts) {
  const auto drain = state.drains().find(card.uuid);
  const bool health = drain != state.drains().end() && drain->second.by == "health";
  facts.drained_by_health = health ? drain->second.reason : std::string();
  if (health && facts.drained_by_health->empty()) facts.drained_by_health = "drained by health";
  facts.drained_by_hand = drain != state.drains().end() && !health;
}

// Not by a limit that its owner has set, nor by the queue's own guard.
bool could_start(const StateView& state, const Tentative& free, const Job& job, Now now) {
  const Limited why = limited(state, free, job, now);
  return why == Limited::kNo || why == Limited::kQuota;
}

void find_fitting(const StateView& state, AlarmFacts& facts, Now now) {
  std::vector<std::size_t> idle;
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    const Card& card = state.cards()[i];
    const bool alone =
        state.holds_on(i).jobs == 0 && facts.cards[i].foreign_bytes.value_or(0) < kLittle;
    if (alone && card.usable && card.managed && !card.drained) idle.push_back(i);
  }
  if (idle.empty() || state.pending().size() == 0 || state.disk_full()) return;
  const Tentative free(state);
  PendingWalk walk(state.pending());
  for (int looks = 0; looks < kShapesLooked; ++looks) {
    const OrderKey* key = walk.next();
    if (key == nullptr) return;
    const Job& job = *state.find(key->job);
    if (!walk.needs_card() || !could_start(state, free, job, now)) continue;
    const Needs needs = needs_now(state, job);
    std::vector<std::size_t> cards = fitting_cards(state, free, needs);
    std::erase_if(cards, [&](std::size_t i) {
      return state.card_reservations().against(job, i, now.wall, now.wall + Seconds{1}) != nullptr;
    });
    if (cards.size() < static_cast<std::size_t>(std::max(1, needs.gpus.least))) continue;
    for (const std::size_t i : cards) {
      CardFacts& card = facts.cards[i];
      if (card.fits || std::ranges::find(idle, i) == idle.end()) continue;
      card.fits = job.id;
      card.fits_user = job.owner.user;
      card.fits_tenant = job.tenant;
    }
  }
}

// A job or process is idle if it is so on all its cards.
void find_idle_holders(const StateView& state, AlarmFacts& facts) {
  std::map<std::string, IdleHolderFact> found;
  std::vector<std::string> busy;
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    if (state.view_of(i).condition != CardCondition::kOk) continue;
    for (const SeenProcess& process : state.view_of(i).processes) {
      if (process.ignored || process.server) continue;
      const Job* job = process.attempt ? state.find(process.attempt->job) : nullptr;
      const std::string subject =
          job != nullptr ? "job " + to_string(job->id) : "process " + std::to_string(process.pid);
      if (!process.idle_since) {
        busy.push_back(subject);
        continue;
      }
      IdleHolderFact& holder = found[subject];
      holder.subject = subject;
      holder.user = job != nullptr ? job->owner.user : process.user;
      if (job != nullptr) holder.tenant = job->tenant;
      if (job != nullptr) holder.job = job->id;
      holder.card = state.cards()[i].number;
      holder.idle_since = std::max(holder.idle_since, *process.idle_since);
      holder.vram_bytes += process.vram_bytes.value_or(0);
    }
  }
  for (const std::string& subject : busy) found.erase(subject);
  for (auto& [subject, holder] : found) {
    if (holder.vram_bytes >= kLittle) facts.idle_holders.push_back(std::move(holder));
  }
}

void find_over_quota(const StateView& state, AlarmFacts& facts, Now now) {
  if (!state.tenants().any_quota()) return;
  for (const auto& [name, entry] : state.tenants().entries()) {
    const TenantHolds& holds = entry.holds;
    const TenantTerms& terms = entry.terms;
    if (holds.cards > terms.cards) {
      facts.over_quota.push_back({name, "holds " + counted(holds.cards, "card") +
                                            ", its quota is " + std::to_string(terms.cards)});
    } else if (holds.vram_bytes > terms.vram_bytes) {
      facts.over_quota.push_back({name, "holds " + gib_text(holds.vram_bytes) +
                                            " of VRAM, its quota is " +
                                            gib_text(terms.vram_bytes)});
    } else if (holds.running > terms.running) {
      facts.over_quota.push_back({name, "runs " + counted(holds.running, "job") +
                                            ", its quota is " + std::to_string(terms.running)});
    } else if (const auto stop = hours_stop(&entry, terms, now); stop && entry.waiting > 0) {
      facts.over_quota.push_back({name, "has used up its GPU-hours of the " + stop->period +
                                            ", and " + counted(entry.waiting, "job") + " wait"});
    }
  }
}

std::string program_name(const Job& job) {
  constexpr std::size_t kLongest = 80;
  const JobSpec& spec = *job.spec;
  std::string name = spec.shell && !spec.argv.empty()
                         ? program_of_line(spec.argv.front(), spec.working_directory)
                         : program_of_command(spec.argv, spec.working_directory);
  if (name.empty() && !spec.argv.empty()) name = spec.argv.front();
  std::ranges::replace_if(
      name, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  if (name.size() > kLongest) name.resize(kLongest);
  return name;
}

}  // namespace

std::string jobs_on(const StateView& state, CardNumber card) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  std::size_t count = 0;
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    const Grant* grant = grant_of(job);
    if (grant == nullptr ||
        std::ranges::find(grant->cards, card, &CardGrant::card) == grant->cards.end()) {
      continue;
    }
    if (++count > kNamed) continue;
    text += (text.empty() ? "job " : ", job ") + to_string(id) + " of " + job.owner.user;
  }
  if (count > kNamed) text += " and " + std::to_string(count - kNamed) + " more";
  return text;
}

std::vector<std::string> users_on(const StateView& state, CardNumber card) {
  std::vector<std::string> users;
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    const Grant* grant = grant_of(job);
    const bool there =
        grant != nullptr &&
        std::ranges::find(grant->cards, card, &CardGrant::card) != grant->cards.end();
    if (there && std::ranges::find(users, job.owner.user) == users.end()) {
      users.push_back(job.owner.user);
    }
  }
  return users;
}

void gather_facts(const StateView& state, AlarmFacts& facts, Now now) {
  facts.cards.resize(state.cards().size());
  facts.all_cards_seen = !state.cards().empty();
  for (std::size_t i = 0; i < state.cards().size(); ++i) {
    const Card& card = state.cards()[i];
    CardFacts& one = facts.cards[i];
    one.number = card.number;
    one.whole_bytes = card.whole_bytes();
    one.held_bytes = state.holds_on(i).vram_bytes;
    take_view(state, i, one);
    take_drain(state, card, one);
    if (!card.managed || one.drained_by_hand) facts.not_missed.insert(card.number);
    const bool seen =
        one.condition == CardCondition::kOk || one.condition == CardCondition::kAsleep;
    facts.all_cards_seen = facts.all_cards_seen && seen;
  }
  if (state.rules().cards_expected > 0) facts.cards_missing = state.cards_missing();
  find_fitting(state, facts, now);
  find_idle_holders(state, facts);
  find_over_quota(state, facts, now);
  if (const auto id = state.waits_longest()) {
    const Job& job = *state.find(*id);
    facts.longest_wait =
        WaitFact{job.id, job.owner.user, job.tenant, job.submitted_at, state.counts().queued};
  }
  facts.who_is_on = [&state](CardNumber card) { return jobs_on(state, card); };
}

void add_ended(const StateView& state, const std::vector<TrailEntry>& trail,
               std::vector<EndedFact>& ended) {
  for (const TrailEntry& entry : trail) {
    const bool failed = entry.kind == "failed";
    if (!failed && entry.kind != "completed") continue;
    const Job* job = state.find(entry.job);
    if (job == nullptr || !job->ended() || !kind_of(*job).has_shim) continue;
    const std::string program = program_name(*job);
    // Not far back: the same one twice does no harm.
    const auto from = ended.end() - std::min<std::ptrdiff_t>(kFactsLooked, std::ssize(ended));
    auto fact = std::find_if(from, ended.end(), [&](const EndedFact& one) {
      return one.program == program && one.user == job->owner.user && one.tenant == job->tenant;
    });
    if (fact == ended.end()) {
      ended.push_back({.user = job->owner.user, .tenant = job->tenant, .program = program});
      fact = ended.end() - 1;
    }
    if (!failed) {
      fact->went_well = true;
      fact->failed_last = 0;
      continue;
    }
    ++fact->failed;
    ++fact->failed_last;
    fact->last_failed = job->id;
    fact->how = entry.text;
  }
}

}  // namespace gpusched
