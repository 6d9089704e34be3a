// What users of the hostile world ask for: anything, at any moment, of any job.
#include <utility>

#include "core/model/kind.h"
#include "sim/fault_world.h"

namespace gpusched {

std::optional<JobId> FaultWorld::any_job() {
  const auto& jobs = engine_->state().jobs();
  if (jobs.empty()) return std::nullopt;
  const JobId upper{1 + random_() % number_of(jobs.rbegin()->first)};
  return jobs.lower_bound(upper)->first;
}

std::optional<JobId> FaultWorld::any_of(const std::set<JobId>& jobs) {
  if (jobs.empty()) return std::nullopt;
  return *std::next(jobs.begin(), pick(static_cast<int>(jobs.size())));
}

void FaultWorld::client_acts() {
  const Principal root = ourselves();
  const auto job = any_job();
  const int action = pick(22);
  if (action < 6 || !job) return submit_something();
  const auto ignore = [](Result<Answer>) {};
  JobPatch patch;
  switch (action) {
    case 6:
      return cancel({*job}, Seconds{pick(5)});
    case 7:
      return engine_->post(HoldAsked{root, {*job}}, ignore);
    case 8:
      return engine_->post(ReleaseAsked{root, {*job}}, ignore);
    case 9:
      cancelled_.erase(*job);
      // Also where the cancel was answered in between.
      return engine_->post(RequeueAsked{root, {*job}},
                           [this, id = *job](const Result<Answer>&) { cancelled_.erase(id); });
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
      return let_go_something(*job);
    case 15:
      return change_many(*job);
    case 16:
    case 17:
    case 18:
      return pause_something();
    case 19:
      return resume_something();
    case 20:
      patch.put(&SpecExtras::vram_limit_bytes, static_cast<std::uint64_t>(pick(25)) * kGiB);
      return engine_->post(SetAsked{root, {*job}, patch}, ignore);
    default:
      return engine_->post(SetAsked{root, {*job}, any_patch()}, ignore);
  }
}

JobPatch FaultWorld::any_patch() {
  JobPatch patch;
  const auto other = any_job();
  if (other && chance(20)) {
    patch.before = *other;
  } else if (other && chance(20)) {
    patch.put(&SpecExtras::after, {{*other, static_cast<DependencyKind>(pick(3))}});
  } else if (chance(20)) {
    patch.put(&JobSpec::argv, {"work", std::to_string(pick(3))});
    patch.put(&SpecExtras::variables, {"SET=" + std::to_string(pick(3))});
  } else {
    patch.priority = pick(101);
  }
  return patch;
}

void FaultWorld::cancel(std::vector<JobId> jobs, Seconds grace) {
  // The answer for many comes after all slices; one of the first may have been asked for again.
  const bool many = jobs.size() > 1;
  const auto remember = [this, many](const Result<Answer>& answer) {
    const auto* changed = answer ? std::get_if<Changed>(&*answer) : nullptr;
    if (changed == nullptr) return;
    for (const JobId id : changed->jobs) {
      const Job* job = engine_->state().find(id);
      if (job != nullptr && (!many || job->ended())) cancelled_[id] = job->attempt;
    }
  };
  engine_->post(CancelAsked{ourselves(), std::move(jobs), grace}, remember);
}

// Only what was adopted can be.
void FaultWorld::let_go_something(JobId job) {
  for (const JobId id : engine_->state().active()) {
    if (kind_of(*engine_->state().find(id)).not_let_go == nullptr && chance(70)) job = id;
  }
  engine_->post(LetGoAsked{ourselves(), {job}}, [](Result<Answer>) {});
}

void FaultWorld::pause_something() {
  const auto job = any_of(engine_->state().active());
  if (job) engine_->post(PauseAsked{ourselves(), {*job}}, [](Result<Answer>) {});
}

void FaultWorld::resume_something() {
  const auto job = any_of(engine_->state().aside());
  if (job) engine_->post(ResumeAsked{ourselves(), {*job}}, [](Result<Answer>) {});
}

// In the end nobody has forgotten what was paused.
void FaultWorld::resume_all() {
  std::vector<JobId> paused;
  for (const JobId id : engine_->state().aside()) {
    const Aside& aside = *aside_of(*engine_->state().find(id));
    if (aside.by_hand && aside.phase != AsidePhase::kResuming) paused.push_back(id);
  }
  if (!paused.empty()) engine_->post(ResumeAsked{ourselves(), std::move(paused)});
}

// More than one turn changes: a slice of them may be on disk when everything ends.
void FaultWorld::change_many(JobId from) {
  const Principal root = ourselves();
  std::vector<JobId> jobs;
  const auto& all = engine_->state().jobs();
  for (auto it = all.lower_bound(from); it != all.end() && jobs.size() < 40; ++it) {
    jobs.push_back(it->first);
  }
  const auto ignore = [](Result<Answer>) {};
  if (chance(30)) {
    cancel(std::move(jobs), Seconds{0});
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
  // A few, so that jobs share them and those of ended jobs are met again.
  const std::string name = std::to_string(++submissions_ % 5);
  spec->environment = std::make_shared<Environment>(Environment{name, {"NAME=" + name}});
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
  if (chance(10)) spec->extras.edit().begin = now_.wall + Seconds{pick(100)};
  if (chance(5)) spec->extras.edit().expire = now_.wall + Seconds{200 + pick(1000)};
  if (chance(10)) spec->extras.edit().deadline = now_.wall + Seconds{1 + pick(2000)};
  if (chance(10)) {
    spec->extras.edit().vram_limit_bytes = static_cast<std::uint64_t>(1 + pick(24)) * kGiB;
  }
  if (chance(40)) spec->extras.edit().notify = {"done,fail,start,moved,late:ops"};
  if (chance(30)) spec->restartable = true;
  if (chance(30)) spec->saves = std::make_shared<SaveTerms>(SaveTerms{10, Seconds{1}});
  if (chance(10)) spec->extras.edit().key = "key-" + std::to_string(pick(30));
  if (const auto job = any_job(); job && chance(20)) {
    spec->extras.edit().after.push_back({*job, static_cast<DependencyKind>(pick(3))});
  }
  SubmitAsked asked;
  asked.tenant = kTenants[1 + pick(3)];
  asked.owner = {1000, 1000, asked.tenant};
  asked.priority = pick(101);
  if (chance(80)) asked.actor = ourselves();
  asked.hold = chance(5);
  asked.array = chance(25);
  asked.fingerprint = "same";
  const int tasks = asked.array ? 1 + pick(30) : 1;
  if (asked.array && chance(30)) spec->extras.edit().array_limit = 1 + pick(3);
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

// Mostly one that was seen on a card. One that is on none is refused while jobs wait.
void FaultWorld::adopt_something() {
  AdoptAsked asked{.owner = {1000, 1000, "by-hand"}, .tenant = "by-hand", .spec = {}, .tree = {}};
  const CardNumber card =
      cards_[static_cast<std::size_t>(pick(static_cast<int>(cards_.size())))].number;
  const int seen = seen_cards_->told_foreign(card).pid;
  const int pid = seen > 0 ? seen : 2 + pick(1000);
  asked.tree = {pid};
  JobSpec spec;
  spec.argv = {"by-hand"};
  spec.environment = std::make_shared<Environment>();
  spec.adopted = std::make_shared<AdoptedProcess>(AdoptedProcess{pid, now_.boot});
  if (seen == 0 || chance(20)) spec.needs.vram_bytes = kGiB;
  CardFilter filter;
  filter.only.numbers = {card};
  spec.needs.cards = std::move(filter);
  if (chance(30)) spec.time.limit = Seconds{1 + pick(30)};
  asked.spec = std::make_shared<const JobSpec>(std::move(spec));
  engine_->post(std::move(asked), [this](const Result<Answer>& answer) {
    const auto* made = answer ? std::get_if<Submitted>(&*answer) : nullptr;
    if (made == nullptr) return;
    acknowledged_.insert(made->first);
    ++tally_.acts.adopted;
  });
}

}  // namespace gpusched
