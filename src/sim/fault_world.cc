#include "sim/fault_world.h"

#include <utility>

#include "core/explain.h"
#include "engine/reconcile.h"

namespace gpusched {
namespace {

// The default's quotas hold for those who have none of their own.
constexpr const char* kTenants[] = {"default", "lab", "user1", "user2"};

constexpr std::uint64_t kGiB = 1ULL << 30;

State empty_state(int jobs_most) {
  Rules rules;
  rules.keep_ended_most = 1'000'000;
  rules.keep_ended_for = Seconds{1'000'000'000};
  return State(rules, HostCapacity{4, 64 * kGiB, jobs_most});
}

}  // namespace

FaultWorld::FaultWorld(std::uint64_t seed)
    : random_(seed),
      now_{Wall{Seconds{1'700'000'000}}, Boot{Seconds{100}}},
      launcher_(
          [this](const LaunchOrder& order) {
            check_start(order.attempt);
            SimLauncher::Plan plan;
            plan.start_after = Microseconds{pick(5000)};
            plan.run_for = Microseconds{1000 + pick(20'000'000)};
            plan.vram_bytes = static_cast<std::uint64_t>(pick(17)) * kGiB;
            if (calm_) return plan;
            if (chance(10))
              plan.out =
                  chance(50) ? SimLauncher::MoveFault::kNever : SimLauncher::MoveFault::kNotNow;
            if (chance(5))
              plan.back =
                  chance(50) ? SimLauncher::MoveFault::kLost : SimLauncher::MoveFault::kNotNow;
            plan.exit_code = chance(20) ? 1 + pick(3) : 0;
            plan.supervisor_dies = chance(3);
            plan.claims = !chance(3);
            plan.ignores_term = chance(10);
            if (chance(10)) plan.exit_code = kSavedExitCode;
            if (chance(70)) plan.saves_within = Microseconds{pick(2'000'000)};
            if (chance(3)) plan.launch_error = "no process could be made";
            plan.no_room = chance(50);
            return plan;
          },
          [](LauncherReport) {}) {
  const int count = 1 + pick(4);
  for (int i = 0; i < count; ++i) {
    cards_.push_back({.number = CardNumber{static_cast<std::uint16_t>(i)},
                      .uuid = "GPU-" + std::to_string(i),
                      .model = "Simulated",
                      .vram_bytes = 24 * kGiB,
                      .usable = false});
  }
  if (chance(30)) jobs_most_ = 1 + pick(5);
  seen_cards_ = std::make_unique<SimCards>(cards_, [this](int below) { return pick(below); });
  boot_daemon();
}

int FaultWorld::pick(int below) {
  // Not std::uniform_int_distribution: its results differ between libraries, a seed must not.
  return static_cast<int>(random_() % static_cast<std::uint64_t>(below));
}

void FaultWorld::boot_daemon() {
  Engine::Options options;
  options.slice = 7;  // So small that ordinary arrays already come in slices.
  engine_ = std::make_unique<Engine>(empty_state(jobs_most_), launcher_, options);
  launcher_.set_sink([this](LauncherReport report) { engine_->report(std::move(report)); });
  engine_->on_change([this](const std::vector<JobChange>& changes) {
    for (const JobChange& change : changes) {
      const Job* job = engine_->state().find(change.job);
      if (job != nullptr && job->ended()) {
        ended_[change.job] = state_name(job->state);
      } else {
        ended_.erase(change.job);
      }
    }
  });
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
  launcher_.daemon_died();
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
    job.order = {.argv = {"work"}, .working_directory = "/", .owner = {1000, 1000, "user1"}};
    if (truth.adopted) job.order.adopted = AdoptedProcess{.pid = 2, .started = now_.boot};
  }
  std::vector<FoundJob> list;
  for (auto& [id, job] : found) list.push_back(std::move(job));
  const Reconciled done = reconcile(image, list, std::make_shared<Environment>(), now_.wall);
  if (!image.loss && !done.nothing()) violate("a store that lost nothing was mended");
  if (auto mended = store_.commit(done.repair); !mended) violate(mended.error().message);
  for (const auto& [first, last] : done.gone) {
    for (std::uint64_t id = number_of(first); id <= number_of(last); ++id) {
      acknowledged_.erase(JobId{id});
    }
  }
  for (const Job& job : done.repair.jobs) found_.insert(job.current_attempt());
}

void FaultWorld::power_cut() {
  ++tally_.power_cuts;
  store_.drop_unsynced();
  launcher_.machine_died();
  engine_.reset();
  boot_id_ = "boot-" + std::to_string(++boots_);
  now_.wall += Seconds{60};
  now_.boot = Boot{Seconds{5}};
  launcher_.advance(now_);
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
  launcher_.advance(now_);
  seen_cards_->advance(now_);
  if (engine_->wants_turn(now_)) turn(true);
  check();
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
      const Microseconds passed{pick(3'000'000)};
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
      for (const Job& job : commit.jobs) ended_.erase(job.id);
      return crash();
    case 2:  // Written, not synced, and the power goes.
      store_.stage(commit);
      return power_cut();
    case 3:
      store_.stage(commit);
      store_.sync();
      for (const Job& job : commit.jobs) ended_.erase(job.id);
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

std::optional<JobId> FaultWorld::any_job() {
  const auto& jobs = engine_->state().jobs();
  if (jobs.empty()) return std::nullopt;
  const JobId upper{1 + random_() % number_of(jobs.rbegin()->first)};
  return jobs.lower_bound(upper)->first;
}

void FaultWorld::client_acts() {
  const Actor root{0, true};
  const auto job = any_job();
  const int action = pick(17);
  if (action < 6 || !job) return submit_something();
  const auto ignore = [](Result<Answer>) {};
  switch (action) {
    case 6:
      return engine_->post(CancelAsked{root, {*job}, Seconds{pick(5)}}, ignore);
    case 7:
      return engine_->post(HoldAsked{root, {*job}}, ignore);
    case 8:
      return engine_->post(ReleaseAsked{root, {*job}}, ignore);
    case 9:
      return engine_->post(RequeueAsked{root, {*job}}, ignore);
    case 10:
      return engine_->post(GroupSetAsked{root, "g", 1 + pick(3)}, ignore);
    case 11:
      return engine_->post(TenantSetAsked{root, kTenants[pick(3)], any_rule(), chance(50)}, ignore);
    case 12:
      return engine_->post(TenantUnsetAsked{root, kTenants[pick(3)]}, ignore);
    case 13:
      return adopt_something();
    case 14:
      if (chance(20)) engine_->post(DiskSeen{chance(30)});
      return engine_->post(LetGoAsked{root, {*job}}, ignore);
    case 15:
      return change_many(*job);
    default:
      return engine_->post(SetAsked{root, {*job}, {.priority = pick(101)}}, ignore);
  }
}

// More than one turn changes: a slice of them may be on disk when everything ends.
void FaultWorld::change_many(JobId from) {
  const Actor root{0, true};
  std::vector<JobId> jobs;
  const auto& all = engine_->state().jobs();
  for (auto it = all.lower_bound(from); it != all.end() && jobs.size() < 40; ++it) {
    jobs.push_back(it->first);
  }
  const auto ignore = [](Result<Answer>) {};
  if (chance(30)) {
    engine_->post(CancelAsked{root, std::move(jobs), Seconds{0}}, ignore);
  } else if (chance(50)) {
    engine_->post(HoldAsked{root, std::move(jobs)}, ignore);
  } else {
    engine_->post(ReleaseAsked{root, std::move(jobs)}, ignore);
  }
}

TenantRule FaultWorld::any_rule() {
  TenantRule rule;
  rule.weight = 1 + pick(4);
  if (chance(40)) rule.cards = static_cast<std::uint64_t>(pick(4));
  if (chance(30)) rule.vram_bytes = static_cast<std::uint64_t>(pick(60)) * kGiB;
  if (chance(30)) rule.running = static_cast<std::uint64_t>(pick(4));
  if (chance(10)) rule.queued = static_cast<std::uint64_t>(20 + pick(200));
  if (chance(10)) rule.gpu_hours = parse_gpu_hours("1/day");
  if (chance(10)) rule.highest_priority = static_cast<std::uint64_t>(pick(101));
  if (chance(10)) rule.time_limit_s = static_cast<std::uint64_t>(5 + pick(30));
  return rule;
}

SubmitAsked FaultWorld::any_submission() {
  auto spec = std::make_shared<JobSpec>();
  spec->argv = {"work"};
  spec->environment = std::make_shared<Environment>();
  const int most = static_cast<int>(cards_.size());
  spec->needs.gpus.least = pick(most + 1);
  spec->needs.gpus.most = spec->needs.gpus.least;
  if (spec->needs.gpus.least == 0) spec->needs.cpus = 1 + pick(4);
  if (spec->needs.gpus.least > 0 && chance(60)) {
    spec->needs.vram_bytes = static_cast<std::uint64_t>(1 + pick(24)) * kGiB;
  }
  if (chance(30)) spec->time.limit = Seconds{1 + pick(30)};
  if (chance(20)) spec->retry.retries = pick(3);
  if (chance(20)) spec->group = "g";
  if (chance(10)) spec->rare.edit().begin = now_.wall + Seconds{pick(100)};
  if (chance(5)) spec->rare.edit().expire = now_.wall + Seconds{200 + pick(1000)};
  if (chance(10)) spec->rare.edit().deadline = now_.wall + Seconds{1 + pick(2000)};
  if (chance(30)) spec->restartable = true;
  if (chance(30)) spec->saves = std::make_shared<SaveTerms>(SaveTerms{10, Seconds{1}});
  if (chance(10)) spec->rare.edit().key = "key-" + std::to_string(pick(30));
  if (const auto job = any_job(); job && chance(20)) {
    spec->rare.edit().after.push_back({*job, static_cast<DependencyKind>(pick(3))});
  }
  SubmitAsked asked;
  asked.tenant = kTenants[1 + pick(3)];
  asked.owner = {1000, 1000, asked.tenant};
  asked.priority = pick(101);
  asked.administrator = chance(80);
  asked.hold = chance(5);
  asked.array = chance(25);
  asked.fingerprint = "same";
  const int tasks = asked.array ? 1 + pick(30) : 1;
  if (asked.array && chance(30)) spec->rare.edit().array_limit = 1 + pick(3);
  for (int i = 0; i < tasks; ++i) asked.tasks.push_back({static_cast<std::uint32_t>(i), {}});
  asked.spec = std::move(spec);
  return asked;
}

void FaultWorld::submit_something() {
  const bool hangs_up = chance(10);
  engine_->submit(any_submission(), [this, hangs_up](Result<Answer> answer) {
    if (!answer || hangs_up) return;
    const auto* submitted = std::get_if<Submitted>(&*answer);
    if (submitted == nullptr) return;
    tally_.submitted += submitted->repeated ? 0 : submitted->count;
    for (std::uint64_t i = 0; i < submitted->count; ++i) {
      const JobId id{number_of(submitted->first) + i};
      acknowledged_.insert(id);
      if (!numbers_given_.insert(id).second && !submitted->repeated) {
        violate("number " + to_string(id) + " was given twice");
      }
    }
  });
}

// Whatever the queue, a process that is there is there.
void FaultWorld::adopt_something() {
  AdoptAsked asked{.owner = {1000, 1000, "by-hand"}, .tenant = "by-hand", .spec = {}, .tree = {}};
  const int pid = 2 + pick(1000);
  asked.tree = {pid};
  JobSpec spec;
  spec.argv = {"by-hand"};
  spec.environment = std::make_shared<Environment>();
  spec.adopted = std::make_shared<AdoptedProcess>(AdoptedProcess{pid, now_.boot});
  spec.needs.vram_bytes = kGiB;
  CardFilter filter;
  filter.only.numbers = {cards_.front().number};
  spec.needs.cards = std::move(filter);
  if (chance(30)) spec.time.limit = Seconds{1 + pick(30)};
  asked.spec = std::make_shared<const JobSpec>(std::move(spec));
  engine_->post(std::move(asked), [this](const Result<Answer>& answer) {
    const auto* made = answer ? std::get_if<Submitted>(&*answer) : nullptr;
    if (made != nullptr) acknowledged_.insert(made->first);
  });
}

// Calm weather: every job that can end must end.
std::string FaultWorld::drain() {
  calm_ = true;
  engine_->post(DiskSeen{false});
  seen_cards_->calm_down(now_);
  // Nor does a quota keep anybody from ending.
  bool lifted = false;
  for (int i = 0; i < 200'000 && violation_.empty(); ++i) {
    // Asked again where it met a commit that failed.
    if (!std::exchange(lifted, true)) {
      for (const char* tenant : kTenants) {
        engine_->post(TenantSetAsked{{0, true}, tenant, TenantRule{}, true},
                      [&lifted](const Result<Answer>& answer) { lifted = lifted && answer; });
      }
    }
    launcher_.advance(now_);
    seen_cards_->advance(now_);
    if (engine_->wants_turn(now_)) {
      turn(false);
      if (i % 50 == 0) check();
      continue;
    }
    // Retention, decades ahead here, is not what is waited for.
    auto deadline = engine_->next_deadline(now_);
    if (deadline && *deadline - now_.boot > Seconds{100'000'000}) deadline.reset();
    std::optional<Boot> next = launcher_.next_event();
    for (const std::optional<Boot>& other : {deadline, seen_cards_->next_event()}) {
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
  // Jobs that are held, or wait for a held one, may wait for ever; all others may not.
  for (const auto& [id, job] : engine_->state().jobs()) {
    if (job.active()) violate("job " + to_string(id) + " never ended");
    if (!job.ended() && !engine_->state().asleep().contains(id)) {
      std::string why;
      for (const Reason& reason : why_waiting(engine_->state(), job, now_))
        why += "; " + describe(reason);
      violate("job " + to_string(id) + " starved" + why);
    }
  }
  return violation_;
}

void FaultWorld::violate(std::string what) {
  if (violation_.empty()) violation_ = std::move(what);
}

}  // namespace gpusched
