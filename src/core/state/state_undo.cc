// The one door for changes, and the way back through it. Every put and remove remembers what it
// replaced; roll_back() undoes a turn whose commit failed, changes() says what to write.
#include <algorithm>
#include <set>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "core/model/signature.h"
#include "core/state/state.h"

namespace gpusched {

void State::put_job(Job job, Now now) {
  const JobId id = job.id;
  if (!job.ended() && job.signature == SignatureId{}) sign(job);
  const auto found = jobs_.find(id);
  if (found != jobs_.end()) {
    unindex(found->second);
    const Job before = std::exchange(found->second, std::move(job));
    environments_.change(&before, &found->second);
    index(found->second, now);
    // What an attempt that has ended took beyond its hold is judged by what the job is now.
    const bool moved = aside_phase(before) != aside_phase(found->second);
    if (before.active() && (!found->second.active() || moved)) {
      for (const CardGrant& held : grant_of(before)->cards) {
        if (const auto position = index_of(held.card)) refresh_beyond(*position);
      }
    }
  } else {
    const auto entry = jobs_.emplace_hint(jobs_.end(), id, std::move(job));
    environments_.change(nullptr, &entry->second);
    index(entry->second, now);
  }
  next_job_ = std::max(next_job_, next(id));
}

void State::drop_job(JobId id) {
  const auto found = jobs_.find(id);
  CHECK(found != jobs_.end());
  unindex(found->second);
  environments_.change(&found->second, nullptr);
  jobs_.erase(found);
}

void State::put_submission(Submission submission) {
  const auto before = submissions_.find(submission.id);
  if (before == submissions_.end() && submission.open) {
    // No effect when a removal is undone: the range is still there then.
    staged_.emplace(submission.first,
                    Staged{JobId{number_of(submission.first) + submission.count}, submission.id});
  }
  next_job_ = std::max(next_job_, JobId{number_of(submission.first) + submission.count});
  if (!submission.key.empty()) keys_[{submission.tenant, submission.key}] = submission.id;
  submissions_[submission.id] = std::move(submission);
}

void State::drop_submission(std::uint64_t id) {
  const auto found = submissions_.find(id);
  if (found == submissions_.end()) return;
  // Jobs that are not released yet stay staged: without a record they count as closed.
  keys_.erase({found->second.tenant, found->second.key});
  submissions_.erase(found);
}

void State::put(Job job, Now now) {
  const Job* before = find(job.id);
  count_usage(before, job, now);
  journal_.emplace_back(JobBefore{job.id, before ? std::optional<Job>(*before) : std::nullopt});
  put_job(std::move(job), now);
}

void State::remove(JobId id) {
  const Job* before = find(id);
  CHECK(before != nullptr);
  journal_.emplace_back(JobBefore{id, *before});
  drop_job(id);
}

void State::put(Group group) {
  const auto before = groups_.find(group.name);
  journal_.emplace_back(GroupBefore{
      group.name, before == groups_.end() ? std::nullopt : std::optional<Group>(before->second)});
  groups_[group.name] = std::move(group);
}

void State::remove_group(const std::string& name) {
  const auto before = groups_.find(name);
  CHECK(before != groups_.end());
  journal_.emplace_back(GroupBefore{name, before->second});
  groups_.erase(before);
}

void State::put(Drain drain) {
  const auto before = drains_.find(drain.uuid);
  journal_.emplace_back(DrainBefore{
      drain.uuid, before == drains_.end() ? std::nullopt : std::optional<Drain>(before->second)});
  const std::string uuid = drain.uuid;
  drains_[uuid] = std::move(drain);
  refresh_usable(uuid);
}

void State::remove_drain(const std::string& uuid) {
  const auto before = drains_.find(uuid);
  if (before == drains_.end()) return;
  journal_.emplace_back(DrainBefore{uuid, before->second});
  drains_.erase(before);
  refresh_usable(uuid);
}

void State::put(MoveRates rates) {
  const auto before = move_rates_.find(rates.uuid);
  journal_.emplace_back(MoveRatesBefore{
      rates.uuid,
      before == move_rates_.end() ? std::nullopt : std::optional<MoveRates>(before->second)});
  move_rates_[rates.uuid] = std::move(rates);
}

void State::put(Booking booking) {
  const auto before = bookings_.find(booking.id);
  journal_.emplace_back(BookingBefore{booking.id, before == bookings_.end()
                                                      ? std::nullopt
                                                      : std::optional<Booking>(before->second)});
  next_booking_ = std::max(next_booking_, booking.id + 1);
  const std::uint64_t id = booking.id;
  bookings_[id] = std::move(booking);
  refresh_bookings();
}

void State::remove_booking(std::uint64_t id) {
  const auto before = bookings_.find(id);
  if (before == bookings_.end()) return;
  journal_.emplace_back(BookingBefore{id, before->second});
  bookings_.erase(before);
  refresh_bookings();
}

void State::remember_past_runs(const PastRunsKey& key) {
  const PastRuns* before = estimates_.find(key);
  journal_.emplace_back(
      PastRunsBefore{key, before ? std::optional<PastRuns>(*before) : std::nullopt});
}

void State::put(PastRuns past) {
  remember_past_runs(past.key);
  estimates_.put(std::move(past), rules_.estimates);
  while (estimates_.size() > std::max<std::size_t>(rules_.estimates.signatures_most, 1)) {
    const PastRunsKey oldest = estimates_.oldest();
    remember_past_runs(oldest);
    estimates_.erase(oldest);
  }
}

void State::put(Submission submission) {
  const auto before = submissions_.find(submission.id);
  journal_.emplace_back(SubmissionBefore{
      submission.id,
      before == submissions_.end() ? std::nullopt : std::optional<Submission>(before->second)});
  put_submission(std::move(submission));
}

void State::remove_submission(std::uint64_t id) {
  const auto before = submissions_.find(id);
  if (before == submissions_.end()) return;
  journal_.emplace_back(SubmissionBefore{id, before->second});
  drop_submission(id);
}

bool State::Changes::empty() const {
  return jobs.empty() && removed_jobs.empty() && groups.empty() && removed_groups.empty() &&
         drains.empty() && removed_drains.empty() && tenants.empty() && removed_tenants.empty() &&
         bookings.empty() && removed_bookings.empty() && past_runs.empty() &&
         removed_past_runs.empty() && submissions.empty() && removed_submissions.empty() &&
         move_rates.empty() && trail.empty();
}

State::Changes State::changes() const {
  Changes changes;
  std::unordered_set<JobId> seen;
  std::set<std::string> seen_groups;
  std::set<std::string> seen_drains;
  std::set<std::string> seen_rates;
  std::set<std::string> seen_tenants;
  std::set<std::uint64_t> seen_bookings;
  std::set<PastRunsKey> seen_past_runs;
  std::set<std::uint64_t> seen_submissions;
  for (const Before& before : journal_) {
    const bool lasting =
        !std::holds_alternative<JobBefore>(before) && !std::holds_alternative<TenantBefore>(before);
    if (lasting) changes.leases_alone = false;
    if (const auto* job = std::get_if<JobBefore>(&before)) {
      if (!seen.insert(job->id).second) continue;
      const Job* known = job->job ? &*job->job : find(job->id);
      changes.leases_alone = changes.leases_alone && known != nullptr && known->spec->lease;
      (find(job->id) ? changes.jobs : changes.removed_jobs).push_back(job->id);
    } else if (const auto* group = std::get_if<GroupBefore>(&before)) {
      if (!seen_groups.insert(group->name).second) continue;
      (groups_.contains(group->name) ? changes.groups : changes.removed_groups)
          .push_back(group->name);
    } else if (const auto* drain = std::get_if<DrainBefore>(&before)) {
      if (!seen_drains.insert(drain->uuid).second) continue;
      (drains_.contains(drain->uuid) ? changes.drains : changes.removed_drains)
          .push_back(drain->uuid);
    } else if (const auto* rates = std::get_if<MoveRatesBefore>(&before)) {
      if (seen_rates.insert(rates->uuid).second) changes.move_rates.push_back(rates->uuid);
    } else if (const auto* tenant = std::get_if<TenantBefore>(&before)) {
      // What was used comes with every lease; what was set must last.
      const TenantRule rule = tenant->tenant ? tenant->tenant->rule : TenantRule{};
      if (rule != tenants_.rule_of(tenant->name)) changes.leases_alone = false;
      if (!seen_tenants.insert(tenant->name).second) continue;
      const TenantBook::Entry* entry = tenants_.find(tenant->name);
      (entry != nullptr && entry->kept ? changes.tenants : changes.removed_tenants)
          .push_back(tenant->name);
    } else if (const auto* booking = std::get_if<BookingBefore>(&before)) {
      if (!seen_bookings.insert(booking->id).second) continue;
      (bookings_.contains(booking->id) ? changes.bookings : changes.removed_bookings)
          .push_back(booking->id);
    } else if (const auto* past = std::get_if<PastRunsBefore>(&before)) {
      if (!seen_past_runs.insert(past->key).second) continue;
      (estimates_.find(past->key) ? changes.past_runs : changes.removed_past_runs)
          .push_back(past->key);
    } else if (const auto* submission = std::get_if<SubmissionBefore>(&before)) {
      if (!seen_submissions.insert(submission->id).second) continue;
      (submissions_.contains(submission->id) ? changes.submissions : changes.removed_submissions)
          .push_back(submission->id);
    }
  }
  changes.trail = trail_;
  // What tenants have used, counted without any lease, lasts like everything else.
  if (seen.empty()) changes.leases_alone = false;
  for (const TrailEntry& entry : trail_) {
    const Job* job = find(entry.job);
    if (job != nullptr && !job->spec->lease) changes.leases_alone = false;
  }
  return changes;
}

void State::keep_changes() {
  journal_.clear();
  trail_.clear();
}

void State::roll_back(Now now) {
  for (auto before = journal_.rbegin(); before != journal_.rend(); ++before) {
    if (auto* job = std::get_if<JobBefore>(&*before)) {
      if (job->job) {
        put_job(std::move(*job->job), now);
      } else {
        drop_job(job->id);
      }
    } else if (auto* group = std::get_if<GroupBefore>(&*before)) {
      if (group->group) {
        groups_[group->name] = std::move(*group->group);
      } else {
        groups_.erase(group->name);
      }
    } else if (auto* drain = std::get_if<DrainBefore>(&*before)) {
      if (drain->drain) {
        drains_[drain->uuid] = std::move(*drain->drain);
      } else {
        drains_.erase(drain->uuid);
      }
      refresh_usable(drain->uuid);
    } else if (auto* rates = std::get_if<MoveRatesBefore>(&*before)) {
      if (rates->rates) {
        move_rates_[rates->uuid] = std::move(*rates->rates);
      } else {
        move_rates_.erase(rates->uuid);
      }
    } else if (auto* tenant = std::get_if<TenantBefore>(&*before)) {
      if (tenant->tenant) {
        tenants_.keep(std::move(*tenant->tenant));
      } else {
        tenants_.forget(tenant->name);
      }
    } else if (auto* booking = std::get_if<BookingBefore>(&*before)) {
      if (booking->booking) {
        bookings_[booking->id] = std::move(*booking->booking);
      } else {
        bookings_.erase(booking->id);
      }
      refresh_bookings();
    } else if (auto* past = std::get_if<PastRunsBefore>(&*before)) {
      if (past->past) {
        estimates_.put(std::move(*past->past), rules_.estimates);
      } else {
        estimates_.erase(past->key);
      }
    } else if (auto* submission = std::get_if<SubmissionBefore>(&*before)) {
      if (submission->submission) {
        put_submission(std::move(*submission->submission));
      } else {
        drop_submission(submission->id);
        std::erase_if(staged_,
                      [&](const auto& range) { return range.second.submission == submission->id; });
      }
    }
  }
  // A dependent that was restored before the job it waits for was judged by what is undone now.
  for (const Before& before : journal_) {
    if (const auto* job = std::get_if<JobBefore>(&before)) reindex_dependents(job->id, now);
  }
  keep_changes();
}

}  // namespace gpusched
