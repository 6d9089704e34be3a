// Accepting work. Everything is checked before anything is changed: a submission is accepted as a
// whole or refused with one sentence.
#include <algorithm>

#include "base/check.h"
#include "base/words.h"
#include "core/admit/admission.h"
#include "core/apply/transitions.h"
#include "core/backfill/deadline.h"
#include "core/model/card_rules.h"
#include "core/notify/target.h"
#include "core/state/dependency.h"

namespace gpusched {
namespace {

Refusal refuse(RefusalKind kind, std::string message) { return {kind, std::move(message)}; }

std::string words_of(const CardList& cards) {
  std::string out;
  for (const CardNumber card : cards.numbers) {
    out += (out.empty() ? "" : ", ") + std::to_string(number_of(card));
  }
  for (const std::string& name : cards.names) out += (out.empty() ? "'" : ", '") + name + "'";
  return out;
}

// What the job wants of a card beside room, in words that follow "card(s)".
std::string wish_of(const CardFilter& cards) {
  std::string words;
  if (!cards.type.empty()) words += " of type '" + cards.type + "'";
  if (!cards.only.empty()) words += " out of " + words_of(cards.only);
  if (!cards.avoid.empty()) words += " other than " + words_of(cards.avoid);
  return words;
}

// A card that is missing may be all that the job lacks.
std::string missing_clause(const StateView& state) {
  const std::uint64_t missing = state.cards_missing();
  if (missing == 0) return {};
  return "; " + std::to_string(missing) + " of the " +
         std::to_string(state.rules().cards_expected) + " cards it should have " +
         (missing == 1 ? "is" : "are") + " missing";
}

Refusal never_fits(const StateView& state, const Needs& needs, std::size_t could) {
  const auto largest = std::ranges::max_element(
      state.cards(), {}, [](const Card& card) { return card.managed ? card.capacity_bytes() : 0; });
  if (largest != state.cards().end() && !largest->managed) {
    return refuse(RefusalKind::kNeverFits,
                  "no card of this machine is managed: its configuration says manage: off");
  }
  if (largest == state.cards().end()) {
    return refuse(
        RefusalKind::kNeverFits,
        "this machine has no GPU card; ask for --gpus 0 to run on CPUs" + missing_clause(state));
  }
  const std::string best = "the largest card here is number " +
                           std::to_string(number_of(largest->number)) + " (" + largest->model +
                           ") with " + gib_text(largest->capacity_bytes());
  if (needs.vram_bytes > largest->capacity_bytes()) {
    return refuse(RefusalKind::kNeverFits, "no card can ever hold " + gib_text(needs.vram_bytes) +
                                               "; " + best + missing_clause(state));
  }
  return refuse(RefusalKind::kNeverFits,
                "the job needs " + std::to_string(needs.gpus.least) + " card(s)" +
                    wish_of(*needs.cards) + ", but only " + std::to_string(could) +
                    " of this machine's " + std::to_string(state.cards().size()) +
                    " card(s) can ever satisfy it; " + best + missing_clause(state));
}

// Keys belong to a user, not to a tenant: of those several users share one, and one user may count
// for several.
const std::string& whose_key(const Identity& owner) { return owner.user; }

// A key that is already used: the answer of the first time, or a conflict.
std::optional<Answer> repeated(const StateView& state, const SubmitAsked& asked) {
  if (asked.spec->extras->key.empty()) return std::nullopt;
  const Submission* before = state.find_submission(whose_key(asked.owner), asked.spec->extras->key);
  if (before == nullptr) return std::nullopt;
  if (before->open) {
    return refuse(RefusalKind::kConflict, "a submission with key '" + asked.spec->extras->key +
                                              "' is being accepted right now");
  }
  if (before->fingerprint != asked.fingerprint) {
    return refuse(RefusalKind::kConflict, "key '" + asked.spec->extras->key + "' belongs to job " +
                                              to_string(before->first) +
                                              ", which was submitted with another content");
  }
  return Submitted{before->first, before->count, true};
}

Job new_job(const SubmitAsked& asked, const SubmitAsked::Task& task, JobId id, JobId array,
            Now now) {
  Job job;
  job.id = id;
  job.spec = asked.spec;
  if (asked.array) {
    job.task = std::make_shared<ArrayTask>(ArrayTask{array, task.index, task.values});
  }
  job.owner = asked.owner;
  job.tenant = asked.tenant;
  job.priority = asked.priority;
  job.submitted_at = now.wall;
  if (asked.hold) job.state = Held{};
  return job;
}

}  // namespace

std::optional<Refusal> check_needs(const StateView& state, const Needs& needs) {
  if (needs.cpus > state.host().cpus) {
    return refuse(RefusalKind::kNeverFits, "the job needs " + std::to_string(needs.cpus) +
                                               " CPUs, but this machine has " +
                                               std::to_string(state.host().cpus));
  }
  if (needs.ram_bytes > state.host().ram_bytes) {
    return refuse(RefusalKind::kNeverFits, "the job needs " + gib_text(needs.ram_bytes) +
                                               " of host RAM, but this machine has " +
                                               gib_text(state.host().ram_bytes));
  }
  for (const CardList* list : {&needs.cards->only, &needs.cards->avoid}) {
    for (const std::string& name : list->names) {
      if (cards_named(state.cards(), name).empty()) {
        return refuse(RefusalKind::kNeverFits, "no card here has the alias or tag '" + name + "'");
      }
    }
  }
  if (!needs.wants_cards() || needs.cpu_use != CpuUse::kNever) return std::nullopt;
  const auto least = static_cast<std::size_t>(std::max(1, needs.gpus.least));
  std::size_t could = 0;
  for (auto card = state.cards().begin(); could < least && card != state.cards().end(); ++card) {
    could += could_ever_fit(*card, needs) ? 1 : 0;
  }
  if (could < least) return never_fits(state, needs, could);
  return std::nullopt;
}

std::optional<Refusal> check_dependencies(const StateView& state, const JobSpec& spec) {
  for (const Dependency& dependency : spec.extras->after) {
    const Job* job = state.find(dependency.job);
    if (job == nullptr || state.in_open_submission(dependency.job)) {
      return refuse(RefusalKind::kNotFound,
                    "there is no job " + to_string(dependency.job) + " to wait for");
    }
    if (status_of(state, dependency) == DependencyStatus::kImpossible) {
      const char* wish = dependency.kind == DependencyKind::kOk ? "success" : "failure";
      return refuse(RefusalKind::kConflict, "job " + to_string(dependency.job) +
                                                " has already ended as " + state_name(job->state) +
                                                ", so waiting for its " + wish +
                                                " would never end");
    }
  }
  return std::nullopt;
}

std::optional<Refusal> check_submit(const StateView& state, const SubmitAsked& asked, Now now) {
  const JobSpec& spec = *asked.spec;
  if (asked.total == 0 || asked.tasks.empty()) {
    return refuse(RefusalKind::kInvalid, "the array has no jobs");
  }
  const Rules& rules = state.rules();
  if (asked.total > rules.submission_jobs_most) {
    return refuse(RefusalKind::kInvalid, "one submission may have at most " +
                                             std::to_string(rules.submission_jobs_most) +
                                             " jobs, this one has " + std::to_string(asked.total));
  }
  if (state.counts().queued + state.counts().held + asked.total > rules.queued_jobs_most) {
    return refuse(
        RefusalKind::kConflict,
        "the queue is full: at most " + std::to_string(rules.queued_jobs_most) + " jobs may wait");
  }
  // A quarter of the queue is for the others, whatever one tenant submits.
  const std::uint64_t of_one = rules.queued_jobs_most - rules.queued_jobs_most / 4;
  if (state.waiting_of(asked.tenant) + asked.total > of_one) {
    return refuse(RefusalKind::kConflict, "tenant '" + asked.tenant + "' may have at most " +
                                              std::to_string(of_one) +
                                              " waiting jobs, so that others can submit, too");
  }
  if (auto refusal = check_queued_quota(state, asked)) return refusal;
  if (auto refusal = check_priority(state, asked.tenant, asked.priority, asked.actor)) {
    return refusal;
  }
  if (spec.extras->expire && *spec.extras->expire <= now.wall) {
    return refuse(RefusalKind::kInvalid, "the expiry time is in the past");
  }
  if (spec.extras->begin && spec.extras->expire && *spec.extras->expire <= *spec.extras->begin) {
    return refuse(RefusalKind::kInvalid, "the job would expire before it may begin");
  }
  if (spec.extras->deadline && *spec.extras->deadline <= now.wall) {
    return refuse(RefusalKind::kInvalid, "the deadline is in the past");
  }
  if (spec.extras->begin && spec.extras->deadline &&
      *spec.extras->deadline <= *spec.extras->begin) {
    return refuse(RefusalKind::kInvalid, "the deadline comes before the job may begin");
  }
  if (auto refusal = check_group(asked.owner.user, spec.group)) return refusal;
  if (auto refusal = check_needs(state, spec.needs)) return refusal;
  if (auto fault = fault_of_targets(rules.known_receivers(), spec)) {
    return refuse(RefusalKind::kInvalid, std::move(*fault));
  }
  return check_dependencies(state, spec);
}

namespace {

// The first of them speaks for an array.
void note_deadline(State& state, JobId id, Now now) {
  const Job& job = *state.find(id);
  std::string warning = deadline_warning(state, job, earliest_start(state, job, now), now);
  if (!warning.empty()) state.note(job, "deadline", std::move(warning), now);
}

}  // namespace

Applied apply_submit(State& state, const SubmitAsked& asked, Now now) {
  CHECK(asked.spec != nullptr && asked.submission != 0);
  JobId first{};
  if (asked.first_slice) {
    if (auto answer = repeated(state, asked))
      return {.answer = *answer, .effects = {}, .follow_up = {}};
    if (auto refusal = check_submit(state, asked, now)) return refused(std::move(*refusal));
    first = state.next_job();
    // Only a key, or slices still to come, need a record of the submission.
    if (!asked.last_slice || !asked.spec->extras->key.empty()) {
      state.put(Submission{.id = asked.submission,
                           .tenant = whose_key(asked.owner),
                           .key = asked.spec->extras->key,
                           .fingerprint = asked.fingerprint,
                           .first = first,
                           .count = asked.total,
                           .open = !asked.last_slice});
    }
  } else {
    const auto found = state.submissions().find(asked.submission);
    if (found == state.submissions().end()) {
      // The first slice was refused or undone; the rest of it is refused with it.
      return refused(RefusalKind::kConflict, "the submission was not accepted");
    }
    first = found->second.first;
  }
  JobId id{number_of(first) + asked.offset};
  const std::shared_ptr<const JobSpec> spec = spec_under_terms(state, asked);
  const std::string given = spec == asked.spec ? "" : "; its tenant's longest time limit holds";
  for (const SubmitAsked::Task& task : asked.tasks) {
    Job job = new_job(asked, task, id, first, now);
    job.spec = spec;
    state.note(job, "submitted",
               (asked.hold ? "submitted on hold"
                           : "submitted with priority " + std::to_string(asked.priority)) +
                   given,
               now);
    state.put(std::move(job), now);
    id = next(id);
  }
  if (asked.first_slice && spec->extras->deadline) note_deadline(state, first, now);
  if (!asked.last_slice) return {};
  if (!asked.first_slice) {
    Submission closed = state.submissions().at(asked.submission);
    closed.open = false;
    if (closed.key.empty()) {
      state.remove_submission(closed.id);
    } else {
      state.put(std::move(closed));
    }
  }
  return {.answer = Submitted{first, asked.total, false}, .effects = {}, .follow_up = {}};
}

Applied apply_abandoned(State& state, const SubmissionAbandoned& event) {
  constexpr std::size_t kSlice = 1000;
  const auto found = state.submissions().find(event.submission);
  if (found == state.submissions().end()) return {};
  const JobId first = found->second.first;
  const JobId end{number_of(first) + found->second.count};
  std::vector<JobId> going;
  for (auto job = state.jobs().lower_bound(first); job != state.jobs().end() && job->first < end;
       ++job) {
    if (going.size() == kSlice) break;
    going.push_back(job->first);
  }
  for (const JobId id : going) state.remove(id);
  if (going.size() == kSlice) return {.answer = {}, .effects = {}, .follow_up = {event}};
  state.remove_submission(event.submission);
  return {};
}

}  // namespace gpusched
