#include "engine/reconcile.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "core/model/placeholders.h"

namespace gpusched {
namespace {

// Its environment is lost, so it is never started again by itself.
std::shared_ptr<JobSpec> spec_of_noted(const JobSpec& noted) {
  auto spec = std::make_shared<JobSpec>(noted);
  spec->retry.retries = 0;
  spec->restartable = false;
  spec->saves.reset();
  spec->attach = Attach::kNone;
  if (!spec->extras->after.empty()) spec->extras.edit().after.clear();
  return spec;
}

bool knows_cards(const FoundJob& found) {
  return found.holds || (found.noted && grant_of(*found.noted) != nullptr);
}

// What it asked for is not known where its command is very long; what it got is.
Needs needs_of(const Grant& grant) {
  Needs needs;
  const int cards = static_cast<int>(grant.cards.size());
  needs.gpus = {cards, cards};
  needs.cpus = grant.cpus;
  needs.ram_bytes = grant.ram_bytes;
  for (const CardGrant& held : grant.cards) {
    if (held.whole) {
      needs.exclusive = true;
      continue;
    }
    needs.vram_bytes = std::max(needs.vram_bytes, held.vram_bytes);
    needs.share_percent = std::max(needs.share_percent, held.share_percent);
  }
  return needs;
}

void add_held(Job& job, JobSpec& spec, const HeldNote& held) {
  spec.name = held.name;
  spec.needs = needs_of(held.grant);
  job.tenant = held.tenant;
  job.priority = held.priority;
  job.submitted_at = held.submitted_at;
  if (held.task) {
    job.task =
        std::make_shared<const ArrayTask>(ArrayTask{held.task->first, held.task->second, {}});
    // The program's name is shown to everybody; here a value may have been filled in.
    spec.argv.front() = "unknown";
  }
}

// What is known of it is what its directory says: no environment, and of an older version or of a
// very long command no terms.
// REQUIRES: somebody owns it.
Job made_from(const FoundJob& found, const std::shared_ptr<const Environment>& environment,
              Wall now) {
  CHECK(found.order.owner);
  if (found.noted) {
    Job job = *found.noted;
    auto spec = spec_of_noted(*job.spec);
    spec->environment = environment;
    if (found.order.adopted) {
      spec->adopted = std::make_shared<const AdoptedProcess>(*found.order.adopted);
    }
    job.id = found.job;
    job.spec = std::move(spec);
    job.owner = *found.order.owner;
    return job;
  }
  auto spec = std::make_shared<JobSpec>();
  spec->argv = found.order.argv;
  // A directory whose order cannot be read belongs to a job all the same.
  if (spec->argv.empty()) spec->argv = {"unknown"};
  spec->working_directory =
      found.order.working_directory.empty() ? "/" : found.order.working_directory;
  spec->environment = environment;
  spec->needs.gpus = {0, 0};
  if (!found.order.output_path.empty() || !found.order.error_path.empty()) {
    spec->extras.edit().output_path = found.order.output_path;
    spec->extras.edit().error_path = found.order.error_path;
  }
  if (found.order.adopted) {
    spec->adopted = std::make_shared<const AdoptedProcess>(*found.order.adopted);
  }
  Job job;
  job.id = found.job;
  job.owner = *found.order.owner;
  job.tenant = found.order.owner->user;
  job.submitted_at = now;
  if (found.holds) add_held(job, *spec, *found.holds);
  // Nobody knows what would become free.
  if (!knows_cards(found)) spec->preempt = PreemptPolicy::kNever;
  job.spec = std::move(spec);
  return job;
}

void note_found(StoreImage& image, Commit& repair, const Job& job, std::string text, Wall now) {
  repair.trail.push_back({.sequence = image.next_trail_sequence++,
                          .job = job.id,
                          .at = now,
                          .attempt = job.attempt,
                          .kind = "found",
                          .text = std::move(text)});
}

Grant grant_found(const FoundJob& found, const std::vector<CardNumber>& cards) {
  if (found.holds) return found.holds->grant;
  if (knows_cards(found)) return *grant_of(*found.noted);
  Grant all;
  for (const CardNumber card : cards) {
    if (found.lives) all.cards.push_back({card, kUnknownHold, 100, false});
  }
  return all;
}

// Whatever it was in the store: this attempt was begun, and recovery will ask what became of it.
void set_begun(Job& job, const FoundJob& found, const ReconcileTerms& terms) {
  job.attempt = found.claimed;
  job.state = Running{.grant = grant_found(found, terms.cards), .started_at = terms.now};
}

std::string found_text(std::string what, const FoundJob& found) {
  if (found.lives && !knows_cards(found)) {
    what += "; nothing there says which cards it uses, so it counts on all of them until it ends";
  }
  return what;
}

// Since then it may have left its cards. An order to move may be repeated, so it is on its way back
// to where the store believes it; recovery gives the order. False: nothing is to be done.
bool set_moving(Job& job, bool found, Wall now) {
  auto* running = std::get_if<Running>(&job.state);
  if (running == nullptr) return false;
  if (running->stopping != StopReason::kNone && running->stopping != StopReason::kLetGo) {
    return false;
  }
  const auto& lease = job.spec->lease;
  if (lease && (lease->pid <= 0 || lease->pid_started == 0)) return false;
  // As after every restart; one that is paused is ordered aside again (engine/recovery), because
  // others may have its place.
  if (is_aside(job)) return false;
  // Of one that was found nobody can say that it has no card.
  const bool cards = found || !running->grant.cards.empty();
  set_aside(job, {.phase = AsidePhase::kResuming,
                  .mechanism = cards ? Mechanism::kCheckpoint : Mechanism::kFreeze,
                  .since = now});
  return true;
}

void put_into(Commit& repair, const Job& job) {
  const auto repaired = std::ranges::find(repair.jobs.put, job.id, &Job::id);
  if (repaired != repair.jobs.put.end()) {
    *repaired = job;
  } else {
    repair.jobs.put.push_back(job);
  }
}

// REQUIRES: image.jobs is ordered, and so are the jobs of the repair.
void move_to_where_believed(StoreImage& image, const Reconciled& result, Commit& repair, Wall now) {
  const auto is_in = [](const std::vector<JobId>& jobs, JobId id) {
    return std::ranges::find(jobs, id) != jobs.end();
  };
  for (Job& job : image.jobs) {
    if (!job.active()) continue;
    const bool found = is_in(result.brought_back, job.id) || is_in(result.caught_up, job.id);
    if (set_moving(job, found, now)) put_into(repair, job);
  }
}

// Two jobs may be believed to have one card to themselves: one was aside when the other came. The
// books know one such holder, so the others share the card until one of them is gone.
void leave_whole_cards_to_one(StoreImage& image, Commit& repair) {
  std::set<CardNumber> taken;
  for (Job& job : image.jobs) {
    auto* running = std::get_if<Running>(&job.state);
    auto* starting = std::get_if<Starting>(&job.state);
    if (running == nullptr && starting == nullptr) continue;
    if (aside_phase(job) == AsidePhase::kPaused) continue;
    bool changed = false;
    for (CardGrant& held : (running != nullptr ? running->grant : starting->grant).cards) {
      if (!held.whole || taken.insert(held.card).second) continue;
      held.whole = false;
      changed = true;
    }
    if (changed) put_into(repair, job);
  }
}

std::string numbers_of(const std::vector<JobId>& jobs) {
  constexpr std::size_t kNamedMost = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(jobs.size(), kNamedMost); ++i) {
    text += (i == 0 ? "" : ", ") + to_string(jobs[i]);
  }
  if (jobs.size() > kNamedMost)
    text += " and " + std::to_string(jobs.size() - kNamedMost) + " more";
  return text;
}

void find_gone(const StoreImage& image, JobId first_lost, Reconciled& result) {
  auto there = std::ranges::lower_bound(image.jobs, first_lost, {}, &Job::id);
  for (std::uint64_t id = number_of(first_lost); id < number_of(image.next_job); ++id) {
    if (there != image.jobs.end() && number_of(there->id) == id) {
      ++there;
    } else if (!result.gone.empty() && number_of(result.gone.back().second) + 1 == id) {
      result.gone.back().second = JobId{id};
    } else {
      result.gone.emplace_back(JobId{id}, JobId{id});
    }
  }
}

}  // namespace

HeldNote held_note_of(const Job& job) {
  HeldNote held{.tenant = job.tenant,
                .name = job.spec->name,  // As written: values are not for everybody.
                .priority = job.priority,
                .submitted_at = job.submitted_at};
  if (const Grant* grant = grant_of(job)) held.grant = *grant;
  if (job.task) held.task = {job.task->array, job.task->index};
  return held;
}

Reconciled reconcile(StoreImage& image, const std::vector<FoundJob>& found,
                     const ReconcileTerms& terms) {
  const Wall now = terms.now;
  Reconciled result;
  const JobId first_lost = image.loss ? image.loss->next_job_found : image.next_job;
  const std::size_t known = image.jobs.size();
  for (const FoundJob& each : found) {
    const auto end = image.jobs.begin() + static_cast<std::ptrdiff_t>(known);
    const auto job = std::lower_bound(image.jobs.begin(), end, each.job,
                                      [](const Job& one, JobId id) { return one.id < id; });
    if (job != end && job->id == each.job) {
      if (each.claimed <= job->attempt) continue;
      set_begun(*job, each, terms);
      note_found(image, result.repair, *job,
                 found_text("the database knew an older state of it; its directory says that this "
                            "attempt was started",
                            each),
                 now);
      result.repair.jobs.put.push_back(*job);
      result.caught_up.push_back(each.job);
    } else if (each.claimed > 0 && each.order.owner && (each.job >= first_lost || each.lives)) {
      Job back = made_from(each, terms.no_environment, now);
      set_begun(back, each, terms);
      note_found(image, result.repair, back,
                 found_text("the database had lost it; it was found again by its directory", each),
                 now);
      result.repair.jobs.put.push_back(back);
      result.brought_back.push_back(each.job);
      image.jobs.push_back(std::move(back));
    }
    image.next_job = std::max(image.next_job, JobId{number_of(each.job) + 1});
  }
  std::ranges::sort(image.jobs, {}, &Job::id);
  if (image.loss || !result.brought_back.empty()) find_gone(image, first_lost, result);
  if (image.loss || !result.nothing()) {
    move_to_where_believed(image, result, result.repair, now);
    leave_whole_cards_to_one(image, result.repair);
  }
  return result;
}

std::string describe(const Reconciled& reconciled, const std::optional<StoreLoss>& loss) {
  std::string text = "the database is older than what was acknowledged";
  if (loss) {
    text += " (" + std::to_string(loss->commits_found) + " of " +
            std::to_string(loss->commits_known) + " commits are there)";
  }
  if (!reconciled.gone.empty()) {
    text += "; lost: jobs ";
    for (std::size_t i = 0; i < reconciled.gone.size() && i < 10; ++i) {
      const auto& [first, last] = reconciled.gone[i];
      text += (i == 0 ? "" : ", ") + to_string(first);
      if (first != last) text += "-" + to_string(last);
    }
    if (reconciled.gone.size() > 10) text += " and more";
  }
  if (!reconciled.brought_back.empty()) {
    text += "; found again by their directories: jobs " + numbers_of(reconciled.brought_back);
  }
  if (!reconciled.caught_up.empty()) {
    text += "; brought up to date: jobs " + numbers_of(reconciled.caught_up);
  }
  return text;
}

}  // namespace gpusched
