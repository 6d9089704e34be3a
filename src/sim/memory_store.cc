#include "sim/memory_store.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/state/ended_environments.h"

namespace gpusched {

void MemoryStore::Tables::put(Job job) {
  next_job = std::max(next_job, number_of(job.id) + 1);
  // Boot time means nothing after a reboot; what is kept is the wall time beside it.
  if (auto* queued = std::get_if<Queued>(&job.state)) queued->retry_boot.reset();
  const JobId id = job.id;
  jobs.insert_or_assign(id, std::move(job));
}

void MemoryStore::Tables::put(const TrailEntry& entry) {
  next_trail_sequence = std::max(next_trail_sequence, entry.sequence + 1);
  std::vector<TrailEntry>& entries = trail[entry.job];
  const auto place = std::ranges::upper_bound(entries, entry.sequence, {}, &TrailEntry::sequence);
  entries.insert(place, entry);
}

void MemoryStore::Tables::put(const Submission& submission) {
  next_submission = std::max(next_submission, submission.id + 1);
  next_job = std::max(next_job, number_of(submission.first) + submission.count);
  submissions[submission.id] = submission;
}

void MemoryStore::Tables::remove_job(JobId id) {
  jobs.erase(id);
  trail.erase(id);
}

void MemoryStore::Tables::apply(const Commit& commit) {
  for (const Job& job : commit.jobs) put(job);
  for (const TrailEntry& entry : commit.trail) put(entry);
  for (const Submission& submission : commit.submissions) put(submission);
  for (const std::uint64_t id : commit.removed_submissions) submissions.erase(id);
  for (const Group& group : commit.groups) groups[group.name] = group;
  for (const std::string& name : commit.removed_groups) groups.erase(name);
  for (const Drain& drain : commit.drains) drains[drain.uuid] = drain;
  for (const std::string& uuid : commit.removed_drains) drains.erase(uuid);
  for (const MoveRates& rates : commit.move_rates) move_rates[rates.uuid] = rates;
  for (const Tenant& tenant : commit.tenants) tenants[tenant.name] = tenant;
  for (const std::string& name : commit.removed_tenants) tenants.erase(name);
  for (const Booking& booking : commit.bookings) bookings[booking.id] = booking;
  for (const std::uint64_t id : commit.removed_bookings) bookings.erase(id);
  for (const PastRuns& past : commit.past_runs) past_runs[past.key] = past;
  for (const PastRunsKey& key : commit.removed_past_runs) past_runs.erase(key);
  if (commit.boot_id) boot_id = *commit.boot_id;
  if (commit.clock) clock = commit.clock;
  ++commits;
  for (const JobId id : commit.removed_jobs) remove_job(id);
}

void MemoryStore::Tables::remove_open_submissions() {
  const auto copy = submissions;
  for (const auto& [id, submission] : copy) {
    if (!submission.open) continue;
    for (std::uint64_t i = 0; i < submission.count; ++i) {
      remove_job(JobId{number_of(submission.first) + i});
    }
    submissions.erase(id);
  }
}

Result<StoreImage> MemoryStore::load() {
  std::uint64_t first_lost = synced_.next_job;
  for (const auto& [id, submission] : synced_.submissions) {
    if (submission.open) first_lost = std::min(first_lost, number_of(submission.first));
  }
  // Before what is only staged counts as acknowledged: an older copy has nothing of the kind.
  if (!unsynced_.empty()) sync();
  if (synced_.commits > cancels_at_) cancels_.clear();
  synced_.remove_open_submissions();
  StoreImage image;
  for (const auto& [id, job] : synced_.jobs) {
    if (!job.ended()) (void)bring_back(*job.spec, environments_);
    image.jobs.push_back(job);
  }
  for (const auto& [name, group] : synced_.groups) image.groups.push_back(group);
  for (const auto& [uuid, drain] : synced_.drains) image.drains.push_back(drain);
  for (const auto& [uuid, rates] : synced_.move_rates) image.move_rates.push_back(rates);
  for (const auto& [name, tenant] : synced_.tenants) image.tenants.push_back(tenant);
  for (const auto& [id, booking] : synced_.bookings) image.bookings.push_back(booking);
  for (const auto& [key, past] : synced_.past_runs) image.past_runs.push_back(past);
  for (const auto& [id, submission] : synced_.submissions) image.submissions.push_back(submission);
  image.boot_id = synced_.boot_id;
  image.clock = synced_.clock;
  image.cancels = cancels_;
  if (synced_.commits < mark_.commits) {
    image.loss = StoreLoss{mark_.commits, synced_.commits, JobId{first_lost}};
    synced_.commits = mark_.commits;
    synced_.next_job = std::max(synced_.next_job, mark_.next_job);
    synced_.next_submission = std::max(synced_.next_submission, mark_.next_submission);
    synced_.next_trail_sequence = std::max(synced_.next_trail_sequence, mark_.next_trail_sequence);
  }
  image.next_job = JobId{synced_.next_job};
  image.next_submission = synced_.next_submission;
  image.next_trail_sequence = synced_.next_trail_sequence;
  return image;
}

Committed MemoryStore::commit(const Commit& commit) {
  if (failures_left_ > 0) {
    --failures_left_;
    const bool full = failure_code_ == ErrorCode::kStorageFull;
    CommitError error(Error{failure_code_, full ? "write the store: the disk is full"
                                                : "write the store: input/output error"});
    error.cancels_kept = full && !commit.cancels.empty();
    if (error.cancels_kept) {
      cancels_.insert(cancels_.end(), commit.cancels.begin(), commit.cancels.end());
      cancels_at_ = synced_.commits + unsynced_.size();
    }
    return tl::unexpected<CommitError>(std::move(error));
  }
  stage(commit);
  if (commit.outlives_machine) sync();
  if (commit.settles_cancels) cancels_.clear();
  return {};
}

void MemoryStore::stage(const Commit& commit) {
  for (const Job& job : commit.jobs) {
    const auto& environment = job.spec->environment;
    if (environment && !environment->away) environments_[environment->hash] = environment;
  }
  unsynced_.push_back(commit);
}

Result<EnvironmentsByHash> MemoryStore::environments(const std::vector<std::string>& hashes) {
  EnvironmentsByHash found;
  for (const std::string& hash : hashes) {
    if (const auto one = environments_.find(hash); one != environments_.end()) found.insert(*one);
  }
  return found;
}

void MemoryStore::sync() {
  for (const Commit& commit : std::exchange(unsynced_, {})) synced_.apply(commit);
  mark_ = {synced_.commits, synced_.next_job, synced_.next_submission, synced_.next_trail_sequence};
}

void MemoryStore::fail_next(int count, ErrorCode code) {
  failures_left_ = count;
  failure_code_ = code;
}

Result<std::vector<TrailEntry>> MemoryStore::trail(JobId job, std::uint64_t after_sequence,
                                                   std::size_t limit) {
  std::vector<TrailEntry> found;
  const auto entries = synced_.trail.find(job);
  if (entries == synced_.trail.end()) return found;
  for (const TrailEntry& entry : entries->second) {
    if (found.size() == limit) break;
    if (entry.sequence > after_sequence) found.push_back(entry);
  }
  return found;
}

Result<void> MemoryStore::backup(const std::string& path) {
  if (backups_.contains(path)) {
    return failure(ErrorCode::kConflict,
                   "back up to " + path + ": there is a file of that name already");
  }
  backups_.emplace(path, synced_);
  return {};
}

std::unique_ptr<MemoryStore> MemoryStore::restored(const std::string& path) const {
  const auto found = backups_.find(path);
  if (found == backups_.end()) return nullptr;
  auto store = std::make_unique<MemoryStore>();
  store->synced_ = found->second;
  store->environments_ = environments_;
  return store;
}

}  // namespace gpusched
