#include "scheduler/machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/apply/apply.h"
#include "core/decide/decide.h"
#include "core/explain/excerpt.h"
#include "core/explain/explain.h"
#include "core/explain/look_ahead.h"
#include "core/share/order.h"
#include "os/clock.h"

namespace gpusched::library {
namespace {

constexpr std::size_t kEndsRemembered = 8192;
constexpr std::size_t kPositionsCounted = 10'000;
constexpr int kCriticalBand = 100;
constexpr int kPlainPriority = 50;

// Between two looks of one that waits, however often the program would like to be asked.
constexpr Microseconds kBetweenLooks{20'000};

Card card_of(const CardFact& fact) {
  Card card;
  card.number = CardNumber{static_cast<std::uint16_t>(fact.number)};
  card.uuid = fact.uuid;
  card.model = fact.model;
  card.vram_bytes = fact.vram_bytes;
  card.usable = fact.usable;
  return card;
}

FaultKind kind_of(RefusalKind kind) {
  return kind == RefusalKind::kNeverFits ? FaultKind::kNeverFits : FaultKind::kInvalid;
}

std::shared_ptr<const JobSpec> spec_of(const std::string& application, const Wish& wish, Now now) {
  auto spec = std::make_shared<JobSpec>();
  spec->name = wish.name;
  spec->needs.gpus = {wish.gpus, wish.gpus};
  spec->needs.vram_bytes = wish.vram_bytes;
  spec->needs.share_percent = wish.share_percent;
  spec->needs.cpu_use = static_cast<CpuUse>(wish.cpus);
  spec->time.grace = Seconds{0};
  spec->lease = std::make_shared<LeaseTerms>(
      LeaseTerms{.pid = ::getpid(), .application = application, .by_turns = true});
  if (wish.timeout.count() > 0) spec->extras.edit().expire = now.wall + wish.timeout;
  return spec;
}

Wish wish_of(const Job& job) {
  const Needs& needs = job.spec->needs;
  return {.name = job.spec->name,
          .gpus = needs.gpus.least,
          .vram_bytes = needs.vram_bytes,
          .share_percent = needs.share_percent,
          .critical = job.priority == kCriticalBand,
          .cpus = static_cast<MayUseCpus>(needs.cpu_use)};
}

Fault fault_of(const Ended& ended) {
  if (ended.cause == Cause::kExpired) {
    return {FaultKind::kTimeout, "it was not granted within its timeout"};
  }
  if (ended.cause == Cause::kGpuLost) return {FaultKind::kCardLost, "a card of it failed"};
  if (ended.message.starts_with("reset")) return {FaultKind::kReset, "the scheduler was reset"};
  return {FaultKind::kUnknown, "it has been released"};
}

}  // namespace

Machine::Machine(MachineLock lock, Options options)
    : lock_(std::move(lock)),
      options_(std::move(options)),
      state_(Rules{}, HostCapacity{options_.cpus, UINT64_MAX}) {
  const Now now = read_clock();
  take_facts(options_.cards, now);
  looked_ = now.boot;
}

// What is known of the cards is older than allowed: somebody looks, outside the mutex.
Machine::Look Machine::look_again() {
  if (!options_.look || looking_.test_and_set()) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    const Boot now = read_clock().boot;
    if (looked_ && now - *looked_ < options_.look_every && !look_wanted_) {
      looking_.clear();
      return std::nullopt;
    }
    looked_ = now;
    look_wanted_ = false;
  }
  Look look = options_.look();
  looking_.clear();
  return look;
}

void Machine::take_look(const Look& look, Now now) {
  if (!look) return;
  complaint_ = *look ? std::string() : look->error().message;
  if (*look) take_facts(**look, now);
}

// Cards come and go: one that is not told of any more is gone, and so is one whose number another
// one has now.
void Machine::take_roster(const std::vector<CardFact>& facts, Now now) {
  std::vector<Card> roster = state_.cards();
  bool changed = false;
  for (const Card& card : state_.cards()) {
    const bool there = std::ranges::any_of(facts, [&](const CardFact& fact) {
      return fact.number == number_of(card.number) && fact.uuid == card.uuid;
    });
    if (there) continue;
    CardSeen gone{card.number, {}};
    gone.view.condition = CardCondition::kGone;
    gone.view.at = now;
    apply(state_, gone, now);
  }
  for (const CardFact& fact : facts) {
    const auto known = std::ranges::find(roster, fact.number,
                                         [](const Card& card) { return number_of(card.number); });
    if (known == roster.end()) {
      roster.push_back(card_of(fact));
    } else if (known->uuid != fact.uuid || known->vram_bytes != fact.vram_bytes) {
      *known = card_of(fact);
    } else {
      continue;
    }
    changed = true;
  }
  if (changed) apply(state_, CardsReported{std::move(roster)}, now);
}

void Machine::take_facts(const std::vector<CardFact>& facts, Now now) {
  take_roster(facts, now);
  for (const CardFact& fact : facts) {
    CardSeen seen{CardNumber{static_cast<std::uint16_t>(fact.number)}, {}};
    // Facts that somebody told once are no look, and none will follow.
    const CardCondition seen_well = options_.look ? CardCondition::kOk : CardCondition::kUnseen;
    seen.view.condition = fact.usable ? seen_well : CardCondition::kGone;
    seen.view.at = now;
    seen.view.used_bytes = fact.used_bytes;
    apply(state_, seen, now);
  }
}

void Machine::pass_time(Now now) {
  const auto due = state_.next_deadline(now);
  if (due && *due <= now.boot) apply(state_, TimePassed{}, now);
}

// After every change: what can be granted is, what has ended is remembered and goes.
void Machine::take_turn(Now now) {
  bool news = false;
  if (state_.pending().size() > 0) {
    for (const Decision& decision : decide(state_, now).decisions) {
      const bool looks = !accept(state_, decision, now).looks.empty();
      look_wanted_ = look_wanted_ || looks;
      // A caller that waits looks, once; a grant that waits for that look is no news.
      const auto* start = std::get_if<Start>(&decision);
      news = news || looks || start == nullptr || state_.find(start->job)->active();
    }
  }
  while (!state_.ended().empty()) {
    const JobId id = state_.ended().begin()->second;
    ends_[number_of(id)] = fault_of(std::get<Ended>(state_.find(id)->state));
    end_order_.push_back(number_of(id));
    state_.remove(id);
    news = true;
  }
  while (end_order_.size() > kEndsRemembered) {
    ends_.erase(end_order_.front());
    end_order_.pop_front();
  }
  state_.keep_changes();
  if (news && waiters_ > 0) changed_.notify_all();
}

Standing Machine::standing_of(const Job& job) const {
  Standing standing;
  standing.id = number_of(job.id);
  standing.wish = wish_of(job);
  standing.granted = job.active();
  if (!job.active()) return standing;
  const Grant& grant = *grant_of(job);
  standing.cpus = grant.cpus;
  for (const CardGrant& held : grant.cards) {
    const auto position = state_.index_of(held.card);
    standing.cards.push_back({number_of(held.card),
                              position ? state_.cards()[*position].uuid : std::string(),
                              held.vram_bytes, held.share_percent});
    if (!standing.devices.empty()) standing.devices += ',';
    standing.devices += std::to_string(number_of(held.card));
  }
  return standing;
}

// What keeps all of them waiting, if something does.
Standing Machine::waiting_standing(const Job& job) const {
  Standing standing = standing_of(job);
  if (!standing.granted) standing.reason = complaint_;
  return standing;
}

Standing Machine::explained(const Job& job, Now now) const {
  Standing standing = waiting_standing(job);
  if (standing.granted) return standing;
  if (standing.reason.empty()) {
    const std::vector<Reason> why = why_waiting(state_, job, now);
    if (!why.empty()) standing.reason = describe(why.front());
  }
  const auto position = position_of(state_, job.id, kPositionsCounted, now);
  standing.position = position ? static_cast<int>(*position) : 0;
  return standing;
}

Fault Machine::end_of(std::uint64_t id) const {
  const auto found = ends_.find(id);
  if (found != ends_.end()) return found->second;
  return {FaultKind::kUnknown, fmt::format("there is no request {}", id)};
}

Reply<std::vector<Standing>> Machine::ask(const std::string& application,
                                          const std::vector<Wish>& wishes) {
  if (wishes.empty()) return std::vector<Standing>{};
  const Look look = look_again();
  const std::lock_guard lock(mutex_);
  const Now now = read_clock();
  take_look(look, now);
  if (look && !*look) return tl::unexpected<Fault>(look->error());
  pass_time(now);
  LeasesAsked all;
  all.leases.reserve(wishes.size());
  for (const Wish& wish : wishes) {
    SubmitAsked& asked = all.leases.emplace_back();
    asked.submission = ++submissions_;
    asked.spec = spec_of(application, wish, now);
    asked.priority = wish.critical ? kCriticalBand : kPlainPriority;
    asked.actor = ourselves();
    asked.tasks.emplace_back();
  }
  const Answer answer = apply(state_, all, now).answer;
  if (const auto* refusal = std::get_if<Refusal>(&answer)) {
    return fault(kind_of(refusal->kind), refusal->message);
  }
  const Submitted submitted = std::get<Submitted>(answer);
  take_turn(now);
  std::vector<Standing> standings;
  standings.reserve(wishes.size());
  for (std::uint64_t i = 0; i < submitted.count; ++i) {
    standings.push_back(standing_of(*state_.find(JobId{number_of(submitted.first) + i})));
  }
  return standings;
}

Reply<Standing> Machine::wait(std::uint64_t id, std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  const Boot begin = read_clock().boot;
  ++waiters_;
  const auto leave = [this](auto answer) {
    --waiters_;
    return answer;
  };
  while (true) {
    const Now now = read_clock();
    pass_time(now);
    take_turn(now);
    const Job* job = state_.find(JobId{id});
    if (job == nullptr) {
      return leave(Reply<Standing>(tl::unexpected<Fault>(end_of(id))));
    }
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(now.boot - begin);
    if (job->active() || waited >= at_most) return leave(Reply<Standing>(waiting_standing(*job)));
    // An hour at most: nothing is missed by looking again, and no sum overflows.
    Microseconds pause = std::min<Microseconds>(at_most - waited, std::chrono::hours{1});
    if (const auto next = state_.next_deadline(now)) pause = std::min(pause, *next - now.boot);
    if (options_.look) {
      pause = std::min(pause, std::max<Microseconds>(options_.look_every, kBetweenLooks));
    }
    if (look_wanted_) pause = Microseconds{0};
    changed_.wait_for(lock, pause + Microseconds{1});
    if (!options_.look) continue;
    lock.unlock();
    const Look look = look_again();
    lock.lock();
    take_look(look, read_clock());
  }
}

void Machine::release(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const Job* job = state_.find(JobId{id});
  if (job == nullptr) return;
  const Now now = read_clock();
  pass_time(now);
  apply(state_, LeaseReleaseAsked{ourselves(), {JobId{id}}}, now);
  take_turn(now);
}

void Machine::reset(const std::string& application) {
  const std::lock_guard lock(mutex_);
  const Now now = read_clock();
  apply(state_, LeaseResetAsked{ourselves(), application}, now);
  take_turn(now);
}

std::vector<Standing> Machine::live(const std::string& application) {
  const Look look = look_again();
  std::unique_lock lock(mutex_);
  const Now now = read_clock();
  take_look(look, now);
  pass_time(now);
  take_turn(now);
  std::vector<Standing> standings;
  for (const JobId id : state_.leases().live()) {
    const Job& job = *state_.find(id);
    if (job.spec->lease->application == application) standings.push_back(explained(job, now));
  }
  const auto waits = [](const Standing& standing) { return !standing.granted; };
  if (std::ranges::none_of(standings, waits)) return standings;
  // Milliseconds: others go on meanwhile.
  Excerpt excerpt = excerpt_of(state_, kLookedAheadMost, now);
  lock.unlock();
  const Forecast forecast = look_ahead(std::move(excerpt));
  for (Standing& standing : standings) {
    const auto known = forecast.starts.find(JobId{standing.id});
    const auto rough = forecast.rough_starts.find(JobId{standing.id});
    std::optional<Wall> start;
    if (rough != forecast.rough_starts.end()) start = rough->second;
    if (known != forecast.starts.end()) start = known->second.likely;
    if (standing.granted || !start) continue;
    standing.estimated_start = std::chrono::system_clock::time_point(start->time_since_epoch());
  }
  return standings;
}

}  // namespace gpusched::library
