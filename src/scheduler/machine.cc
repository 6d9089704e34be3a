#include "scheduler/machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "core/apply.h"
#include "core/decide.h"
#include "core/explain.h"
#include "core/order.h"

namespace gpusched::library {
namespace {

constexpr std::size_t kEndsRemembered = 8192;
constexpr std::size_t kPositionsCounted = 10'000;
constexpr int kCriticalPriority = 100;
constexpr int kPlainPriority = 50;
const Actor kOurselves{.uid = 0, .administrator = true};

std::vector<Card> cards_of(const std::vector<CardFact>& facts) {
  std::vector<Card> cards;
  for (const CardFact& fact : facts) {
    Card card;
    card.number = CardNumber{static_cast<std::uint16_t>(fact.number)};
    card.uuid = fact.uuid.empty() ? fmt::format("card-{}", fact.number) : fact.uuid;
    card.model = fact.model;
    card.vram_bytes = fact.vram_bytes;
    card.usable = fact.usable;
    cards.push_back(std::move(card));
  }
  return cards;
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
  if (wish.timeout.count() > 0) spec->rare.edit().expire = now.wall + wish.timeout;
  return spec;
}

Wish wish_of(const Job& job) {
  const Needs& needs = job.spec->needs;
  return {.name = job.spec->name,
          .gpus = needs.gpus.least,
          .vram_bytes = needs.vram_bytes,
          .share_percent = needs.share_percent,
          .critical = job.priority == kCriticalPriority,
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
  state_.set_cards(cards_of(options_.cards));
  take_look(options_.cards, now);
  looked_ = now.boot;
}

// What is known of the cards is older than allowed: somebody looks, outside the mutex.
std::vector<CardFact> Machine::look_again() {
  if (!options_.look) return {};
  const std::unique_lock looking(look_mutex_, std::try_to_lock);
  if (!looking) return {};
  {
    const std::lock_guard lock(mutex_);
    const Boot now = read_clock().boot;
    if (looked_ && now - *looked_ < options_.look_every && !look_wanted_) return {};
    looked_ = now;
    look_wanted_ = false;
  }
  return options_.look();
}

void Machine::take_look(const std::vector<CardFact>& facts, Now now) {
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
void Machine::settle(Now now) {
  bool news = false;
  if (state_.pending().size() > 0) {
    for (const Decision& decision : decide(state_, now).decisions) {
      const bool looks = !accept(state_, decision, now).looks.empty();
      look_wanted_ = look_wanted_ || looks;
      // Whoever waits looks, once; a grant that waits for a look that is under way is no news.
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

Standing Machine::explained(const Job& job, Now now) const {
  Standing standing = standing_of(job);
  if (standing.granted) return standing;
  const std::vector<Reason> why = why_waiting(state_, job, now);
  if (!why.empty()) standing.reason = describe(why.front());
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
  const std::vector<CardFact> facts = look_again();
  const std::lock_guard lock(mutex_);
  const Now now = read_clock();
  if (!facts.empty()) take_look(facts, now);
  pass_time(now);
  std::vector<SubmitAsked> all(wishes.size());
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    SubmitAsked& asked = all[i];
    asked.submission = ++submissions_;
    asked.spec = spec_of(application, wishes[i], now);
    asked.priority = wishes[i].critical ? kCriticalPriority : kPlainPriority;
    asked.administrator = kOurselves.administrator;
    asked.tasks.emplace_back();
    if (const auto refusal = check_submit(state_, asked, now)) {
      const std::string which =
          wishes[i].name.empty() ? fmt::format("request {}", i + 1) : wishes[i].name;
      return fault(kind_of(refusal->kind), which + ": " + refusal->message);
    }
  }
  std::vector<JobId> ids;
  ids.reserve(all.size());
  for (const SubmitAsked& asked : all) {
    ids.push_back(state_.next_job());
    apply(state_, asked, now);
  }
  settle(now);
  std::vector<Standing> standings;
  standings.reserve(ids.size());
  for (const JobId id : ids) standings.push_back(standing_of(*state_.find(id)));
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
    settle(now);
    const Job* job = state_.find(JobId{id});
    if (job == nullptr) {
      return leave(Reply<Standing>(tl::unexpected<Fault>(end_of(id))));
    }
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(now.boot - begin);
    if (job->active() || waited >= at_most) return leave(Reply<Standing>(standing_of(*job)));
    // An hour at most: nothing is missed by looking again, and no sum overflows.
    Microseconds pause = std::min<Microseconds>(at_most - waited, std::chrono::hours{1});
    if (const auto next = state_.next_deadline(now)) pause = std::min(pause, *next - now.boot);
    if (options_.look) pause = std::min<Microseconds>(pause, options_.look_every);
    if (look_wanted_) pause = Microseconds{0};
    changed_.wait_for(lock, pause + Microseconds{1});
    if (!options_.look) continue;
    lock.unlock();
    const std::vector<CardFact> facts = look_again();
    lock.lock();
    if (!facts.empty()) take_look(facts, read_clock());
  }
}

void Machine::release(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const Job* job = state_.find(JobId{id});
  if (job == nullptr) return;
  const Now now = read_clock();
  pass_time(now);
  apply(state_, LeaseReleaseAsked{kOurselves, {JobId{id}}}, now);
  settle(now);
}

void Machine::reset(const std::string& application) {
  const std::lock_guard lock(mutex_);
  const Now now = read_clock();
  apply(state_, LeaseResetAsked{kOurselves, application}, now);
  settle(now);
}

std::vector<Standing> Machine::live(const std::string& application) {
  const std::vector<CardFact> facts = look_again();
  const std::lock_guard lock(mutex_);
  const Now now = read_clock();
  if (!facts.empty()) take_look(facts, now);
  pass_time(now);
  settle(now);
  std::vector<Standing> standings;
  for (const JobId id : state_.leases().live()) {
    const Job& job = *state_.find(id);
    if (job.spec->lease->application == application) standings.push_back(explained(job, now));
  }
  return standings;
}

}  // namespace gpusched::library
