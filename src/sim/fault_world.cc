#include "sim/fault_world.h"

#include <algorithm>
#include <utility>

#include "core/explain/explain.h"
#include "core/preempt/resume.h"
#include "core/state/state.h"
#include "engine/reconcile.h"

namespace gpusched {
namespace {

State empty_state(int jobs_most, bool over_quota, bool idle_leave) {
  Rules rules;
  rules.keep_ended_most = 1'000'000;
  rules.keep_ended_for = Seconds{1'000'000'000};
  rules.work_keep_for = Seconds{1'000'000'000};
  rules.room.over_quota = over_quota;
  if (idle_leave) rules.room.idle_after = Seconds{5};
  rules.outbox_most = 5;
  rules.receivers = std::make_shared<const Receivers>(
      Receivers{{"ops", Receiver{.name = "ops", .for_users = true}}});
  return State(rules, HostCapacity{4, 64ULL << 30, jobs_most});
}

// For whoever looks into it: why an active job may stand still.
std::string where_it_is(const StateView& state, const Job& job, Now now) {
  const Aside* aside = aside_of(job);
  if (aside == nullptr) return {};
  return "; its phase is " + std::to_string(static_cast<int>(aside->phase)) + ": " +
         what_keeps_away(state, job, now);
}

}  // namespace

FaultWorld::FaultWorld(std::uint64_t seed)
    : random_(seed),
      now_{Wall{Seconds{1'700'000'000}}, Boot{Seconds{100}}},
      launcher_([this](const LaunchOrder& order) { return plan_of(order); }) {
  const int count = 1 + pick(4);
  for (int i = 0; i < count; ++i) {
    cards_.push_back({.number = CardNumber{static_cast<std::uint16_t>(i)},
                      .uuid = "GPU-" + std::to_string(i),
                      .model = "Simulated",
                      .vram_bytes = 24 * kGiB,
                      .usable = false,
                      .moves = chance(80)});
  }
  if (chance(30)) jobs_most_ = 1 + pick(5);
  over_quota_ = chance(30);
  idle_leave_ = chance(30);
  seen_cards_ = std::make_unique<SimCards>(
      cards_, [this](int below) { return pick(below); },
      SimCards::Jobs{[this](CardNumber card) { return processes_on(card); },
                     [this](int pid) { return launcher_.has_adopted(pid); }});
  mover_.set_room([this](const MoveOrder& order) { return has_room(order); });
  launcher_.on_adopted_end([this](int pid) { seen_cards_->end_foreign(pid); });
  boot_daemon();
}

int FaultWorld::pick(int below) {
  // Not std::uniform_int_distribution: its results differ between libraries, a seed must not.
  return static_cast<int>(random_() % static_cast<std::uint64_t>(below));
}

void FaultWorld::boot_daemon() {
  Engine::Options options;
  options.slice = 7;  // So small that ordinary arrays already come in slices.
  options.note_of = [this](const Job& job) {
    noted_[job.current_attempt()] = job;
    return std::string();
  };
  options.read_environments = [this](const std::vector<std::string>& hashes, const auto& done) {
    done(store_.environments(hashes));
  };
  engine_ = std::make_unique<Engine>(empty_state(jobs_most_, over_quota_, idle_leave_),
                                     Site{launcher_, mover_}, options);
  foreign_.emplace(ForeignWatch::Terms{
      .rules = {{"*", "*"}}, .environment = std::make_shared<Environment>(), .pid = 1});
  engine_->on_change([this](const std::vector<JobChange>& changes) {
    for (const JobChange& change : changes) {
      const Job* job = engine_->state().find(change.job);
      if (job != nullptr) note_acts(*job);
      if (job != nullptr && job->ended()) {
        ended_[change.job] = state_name(job->state);
      } else {
        ended_.erase(change.job);
      }
    }
  });
  carry_messages();
  auto image = store_.load();
  if (!image) {
    violate("the store could not be loaded: " + image.error().message);
    return;
  }
  compare_with_processes(*image);
  engine_->recover(std::move(*image), boot_id_, now_);
  engine_->post(CardsReported{cards_});
  engine_->on_look([this](CardNumber card) { seen_cards_->look_now(card, now_); });
  seen_cards_->show_all([this](CardSeen seen) { engine_->post(std::move(seen)); }, now_);
}

void FaultWorld::crash() {
  ++tally_.crashes;
  messages_outlive_the_daemon();
  launcher_.daemon_died();
  mover_.daemon_died();
  engine_.reset();
  boot_daemon();
}

void FaultWorld::put_back_store() {
  if (copy_.empty()) return;
  ++tally_.stores_put_back;
  store_.drop_unsynced();
  store_.go_back_to(copy_);
  // How jobs had ended may be written anew: a cancel that is forgotten leaves only a signal.
  ended_.clear();
  cancelled_.clear();
  // Nor does it know what was sent since.
  delivered_.clear();
  last_delivered_ = 0;
  carried_.reset();
  crash();
  // What was found running counts, whatever its tenant may hold.
  for (const auto& [name, entry] : engine_->state().tenants().entries()) held_[name] = entry.holds;
}

// As the daemon does it with job directories.
void FaultWorld::compare_with_processes(StoreImage& image) {
  std::map<JobId, FoundJob> found;
  for (const auto& [attempt, truth] : launcher_.truth()) {
    FoundJob& job = found[attempt.job];
    job.job = attempt.job;
    job.claimed = std::max(job.claimed, attempt.number);
    const auto noted = noted_.find({attempt.job, job.claimed});
    if (noted != noted_.end()) {
      job.holds = held_note_of(noted->second);
      // Of a very long command the claim alone tells.
      if (number_of(attempt.job) % 4 != 0) job.noted = noted->second;
    }
    job.order = {
        .argv = {"work"}, .working_directory = "/", .owner = Identity{1000, 1000, "user1"}};
    if (truth.adopted) job.order.adopted = AdoptedProcess{.pid = 2, .started = now_.boot};
  }
  std::vector<FoundJob> list;
  for (auto& [id, job] : found) list.push_back(std::move(job));
  const Reconciled done =
      reconcile(image, list,
                {.no_environment = std::make_shared<Environment>(), .cards = {}, .now = now_.wall});
  if (!image.loss && !done.nothing()) violate("a store that lost nothing was mended");
  // What the store believed to have ended may go on, as in the daemon.
  for (const Job& job : image.jobs) {
    const auto name = job.spec->environment;
    if (job.ended() || name == nullptr || !name->away) continue;
    (void)bring_back(*job.spec, *store_.environments({name->hash}));
  }
  if (auto mended = store_.commit(done.repair); !mended) violate(mended.error().message);
  for (const auto& [first, last] : done.gone) {
    for (std::uint64_t id = number_of(first); id <= number_of(last); ++id) {
      acknowledged_.erase(JobId{id});
    }
  }
  for (const Job& job : done.repair.jobs.put) {
    const bool is_back = std::ranges::find(done.brought_back, job.id) != done.brought_back.end() ||
                         std::ranges::find(done.caught_up, job.id) != done.caught_up.end();
    if (is_back) found_.insert(job.current_attempt());
  }
}

void FaultWorld::power_cut() {
  ++tally_.power_cuts;
  messages_outlive_the_daemon();
  store_.drop_unsynced();
  launcher_.machine_died();
  mover_.daemon_died();
  seen_cards_->end_all_foreign();
  engine_.reset();
  boot_id_ = "boot-" + std::to_string(++boots_);
  now_.wall += Seconds{60};
  now_.boot = Boot{Seconds{5}};
  launcher_.advance(now_);
  mover_.advance(now_);
  boot_daemon();
}

std::string FaultWorld::run(int steps) {
  for (int i = 0; i < steps && violation_.empty(); ++i) step();
  return violation_.empty() ? drain() : violation_;
}

void FaultWorld::step() {
  for (int i = pick(4); i > 0; --i) client_acts();
  time_passes();
  if (chance(5)) launcher_.repeat_reports();
  world_goes_on();
  if (engine_->wants_turn(now_)) turn(true);
  look_closely();
  adopt_idle_foreign();
  check();
}

void FaultWorld::world_goes_on() {
  launcher_.advance(now_);
  mover_.advance(now_);
  memory_runs_out();
  seen_cards_->advance(now_);
  messages_go_on();
}

void FaultWorld::time_passes() {
  switch (pick(10)) {
    case 0:
      break;
    case 1: {
      // Somebody sets the clock: wall time jumps either way, boot time goes on.
      ++tally_.clock_jumps;
      now_.wall += Seconds{pick(200'000) - 100'000};
      break;
    }
    case 2:
      now_.wall += Seconds{3600};
      now_.boot += Seconds{3600};
      break;
    default: {
      const Microseconds passed{pick(worried_ ? 300'000 : 3'000'000)};
      now_.wall += passed;
      now_.boot += passed;
    }
  }
}

void FaultWorld::turn(bool with_faults) {
  ++tally_.turns;
  if (with_faults && chance(1)) return crash();
  if (with_faults && pick(300) == 0) return put_back_store();
  if (with_faults && pick(100) == 0) {
    copy_ = "copy-" + std::to_string(++copies_);
    if (auto copied = store_.backup(copy_); !copied) violate(copied.error().message);
  }
  const auto commit = engine_->begin_turn(now_);
  if (!commit) return;
  if (!with_faults) {
    engine_->finish_turn(store_.commit(*commit), now_);
    return;
  }
  commit_with_faults(*commit);
}

void FaultWorld::commit_with_faults(const Commit& commit) {
  switch (pick(60)) {
    case 0:  // Before the commit.
      return crash();
    case 1:  // After it was written, before anybody was told.
      store_.stage(commit);
      for (const Job& job : commit.jobs.put) ended_.erase(job.id);
      return crash();
    case 2:  // Written, not synced, and the power goes.
      store_.stage(commit);
      return power_cut();
    case 3:
      store_.stage(commit);
      store_.sync();
      for (const Job& job : commit.jobs.put) ended_.erase(job.id);
      return power_cut();
    case 4:
    case 5:
      ++tally_.failed_commits;
      store_.fail_next(1, chance(50) ? ErrorCode::kStorageFull : ErrorCode::kIo);
      break;
    default:
      break;
  }
  engine_->finish_turn(store_.commit(commit), now_);
  if (chance(1)) crash();
}

// Calm weather: every job that can end must end.
std::string FaultWorld::drain() {
  calm_ = true;
  engine_->post(DiskSeen{false});
  launcher_.heal_driver();
  seen_cards_->calm_down(now_);
  // Nor does a quota keep anybody from ending.
  bool lifted = false;
  for (int i = 0; i < 200'000 && violation_.empty(); ++i) {
    // Asked again where it met a commit that failed.
    if (!std::exchange(lifted, true)) {
      for (const char* tenant : kTenants) {
        engine_->post(TenantSetAsked{ourselves(), tenant, TenantRule{}, true},
                      [&lifted](const Result<Answer>& answer) { lifted = lifted && answer; });
      }
    }
    world_goes_on();
    if (engine_->wants_turn(now_)) {
      turn(false);
      if (i % 50 == 0) check();
      continue;
    }
    resume_all();
    look_closely();
    if (!engine_->state().active().empty()) seen_cards_->look_around(now_);
    if (engine_->wants_turn(now_)) continue;
    // Retention, decades ahead here, is not what is waited for.
    auto deadline = engine_->next_deadline(now_);
    if (deadline && *deadline - now_.boot > Seconds{100'000'000}) deadline.reset();
    std::optional<Boot> next = launcher_.next_event();
    for (const std::optional<Boot>& other :
         {mover_.next_event(), deadline, seen_cards_->next_event()}) {
      if (other && (!next || *other < *next)) next = other;
    }
    if (!next) break;
    const Microseconds passed = std::max(Microseconds{1}, *next - now_.boot);
    now_.wall += passed;
    now_.boot += passed;
  }
  check();
  const Counts& counts = engine_->state().counts();
  tally_.completed = counts.completed;
  tally_.failed = counts.failed;
  tally_.cancelled = counts.cancelled;
  check_all_ended();
  if (!engine_->state().messages().empty()) violate("messages wait for ever");
  return violation_;
}

// Jobs that are held, or wait for a held one, may wait for ever; all others may not.
void FaultWorld::check_all_ended() {
  const StateView& state = engine_->state();
  for (const JobId id : state.active()) {
    violate("job " + to_string(id) + " never ended" + where_it_is(state, *state.find(id), now_));
  }
  for (const auto& [id, job] : state.jobs()) {
    if (job.ended() || state.asleep().contains(id)) continue;
    std::string why;
    for (const Reason& reason : why_waiting(state, job, now_)) why += "; " + describe(reason);
    violate("job " + to_string(id) + " starved" + why);
  }
}

std::string FaultWorld::trail_of(JobId job) {
  std::string text;
  const auto entries = store_.trail(job, 0, 10'000);
  if (!entries) return entries.error().message;
  for (const TrailEntry& entry : *entries) {
    const auto at = std::chrono::duration<double>(entry.at.time_since_epoch()).count();
    text += std::to_string(at) + " #" + std::to_string(entry.attempt) + " " + entry.kind + ": " +
            entry.text + "\n";
  }
  return text;
}

void FaultWorld::violate(std::string what) {
  if (violation_.empty()) violation_ = std::move(what);
}

}  // namespace gpusched
