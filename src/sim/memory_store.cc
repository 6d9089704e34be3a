#include "sim/memory_store.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/state/ended_environments.h"

namespace gpusched {

void MemoryStore::Tables::put(const TrailEntry& entry) {
  next_trail_sequence = std::max(next_trail_sequence, entry.sequence + 1);
  std::vector<TrailEntry>& entries = trail[entry.job];
  const auto place = std::ranges::upper_bound(entries, entry.sequence, {}, &TrailEntry::sequence);
  entries.insert(place, entry);
}

void MemoryStore::Tables::note_numbers(const Commit& commit) {
  for (const Job& job : commit.jobs.put) next_job = std::max(next_job, number_of(job.id) + 1);
  for (const Submission& submission : commit.submissions.put) {
    next_submission = std::max(next_submission, submission.id + 1);
    next_job = std::max(next_job, number_of(submission.first) + submission.count);
  }
  for (const Message& message : commit.messages.put) {
    next_trail_sequence = std::max(next_trail_sequence, message.id + 1);
  }
  for (const Silence& silence : commit.silences.put) {
    next_trail_sequence = std::max(next_trail_sequence, silence.id + 1);
  }
}

void MemoryStore::Tables::remove_job(JobId id) {
  rows.jobs.erase(id);
  trail.erase(id);
}

void MemoryStore::Tables::apply(const Commit& commit) {
  for_each_pair(commit, rows, []<class Row>(const Delta<Row>& delta, RowMap<Row>& kept) {
    for (const Row& row : delta.put) kept.insert_or_assign(key_of(row), row);
    for (const RowKey<Row>& key : delta.removed) kept.erase(key);
  });
  note_numbers(commit);
  // Boot time means nothing after a reboot; what is kept is the wall time beside it.
  for (const Job& job : commit.jobs.put) {
    const auto kept = rows.jobs.find(job.id);
    if (kept == rows.jobs.end()) continue;
    if (auto* queued = std::get_if<Queued>(&kept->second.state)) queued->retry_boot.reset();
  }
  for (const TrailEntry& entry : commit.trail) put(entry);
  put_audit(commit);
  put_past(commit);
  if (commit.boot_id) boot_id = *commit.boot_id;
  if (commit.clock) clock = commit.clock;
  alarms_looked = std::max(alarms_looked, commit.alarms_looked);
  ++commits;
  for (const JobId id : commit.jobs.removed) trail.erase(id);
}

std::vector<TrailEntry> MemoryStore::Tables::unlooked() const {
  std::vector<TrailEntry> entries;
  for (const auto& [job, all] : trail) {
    const auto row = rows.jobs.find(job);
    if (row == rows.jobs.end() || state_name(row->second.state) != std::string("failed")) continue;
    for (const TrailEntry& entry : all) {
      if (entry.sequence > alarms_looked && entry.kind == "failed") entries.push_back(entry);
    }
  }
  std::ranges::sort(entries, {}, &TrailEntry::sequence);
  if (entries.size() > kUnlookedMost) entries.resize(kUnlookedMost);
  return entries;
}

void MemoryStore::Tables::put_audit(const Commit& commit) {
  if (commit.audit.empty()) return;
  for (const AuditEntry& entry : commit.audit) {
    const auto [it, is_new] = audit.try_emplace(entry.sequence, entry);
    if (!is_new) it->second = entry;
    it->second.again = false;
    if (is_new && entry.again) audit.erase(it);
  }
  std::erase_if(audit, [&](const auto& one) { return one.second.at < commit.audit_bounds.since; });
  for (const AuditKind kind : {AuditKind::kChange, AuditKind::kRefusal, AuditKind::kLease}) {
    remove_surplus(kind, audit_most(commit.audit_bounds, kind));
  }
}

// The oldest go, whoever has most.
void MemoryStore::Tables::put_past(const Commit& commit) {
  if (!past_since) past_since = commit.clock;
  if (commit.past.empty()) return;
  past.insert(past.end(), commit.past.begin(), commit.past.end());
  const PastBounds& bounds = commit.past_bounds;
  std::ranges::stable_sort(past, {}, &PastSpan::until);
  std::size_t going = past.size() - std::min(past.size(), bounds.most);
  while (going < past.size() && past[going].until < bounds.since) ++going;
  if (going == 0) return;
  past_since = std::max(past_since.value_or(Wall{}), past[going - 1].until);
  past.erase(past.begin(), past.begin() + static_cast<std::ptrdiff_t>(going));
}

// Of too many, those of the user who has most.
void MemoryStore::Tables::remove_surplus(AuditKind kind, std::size_t most) {
  std::map<std::optional<std::uint32_t>, std::vector<std::uint64_t>> by_user;
  std::size_t count = 0;
  for (const auto& [sequence, entry] : audit) {
    if (entry.kind != kind) continue;
    by_user[entry.uid].push_back(sequence);
    ++count;
  }
  for (; count > most; --count) {
    const auto user =
        std::ranges::max_element(by_user, {}, [](const auto& one) { return one.second.size(); });
    audit.erase(user->second.front());
    user->second.erase(user->second.begin());
  }
}

void MemoryStore::Tables::remove_open_submissions() {
  const auto copy = rows.submissions;
  for (const auto& [id, submission] : copy) {
    if (!submission.open) continue;
    for (std::uint64_t i = 0; i < submission.count; ++i) {
      remove_job(JobId{number_of(submission.first) + i});
    }
    rows.submissions.erase(id);
  }
}

Result<StoreImage> MemoryStore::load() {
  std::uint64_t first_lost = synced_.next_job;
  for (const auto& [id, submission] : synced_.rows.submissions) {
    if (submission.open) first_lost = std::min(first_lost, number_of(submission.first));
  }
  // Before what is only staged counts as acknowledged: an older copy has nothing of the kind.
  if (!unsynced_.empty()) sync();
  if (synced_.commits > cancels_at_) cancels_.clear();
  synced_.remove_open_submissions();
  StoreImage image;
  for (const auto& [id, job] : synced_.rows.jobs) {
    if (!job.ended()) (void)bring_back(*job.spec, environments_);
  }
  for_each_pair(synced_.rows, static_cast<Durable<RowList>&>(image),
                []<class Row>(const RowMap<Row>& kept, std::vector<Row>& rows) {
                  for (const auto& [key, row] : kept) rows.push_back(row);
                });
  image.boot_id = synced_.boot_id;
  image.clock = synced_.clock;
  image.alarms_looked = synced_.alarms_looked;
  image.unlooked = synced_.unlooked();
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
  if (!synced_.audit.empty()) image.next_audit = synced_.audit.rbegin()->first + 1;
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
  if (commit.has_kept_cancels) cancels_.clear();
  return {};
}

void MemoryStore::stage(const Commit& commit) {
  for (const Job& job : commit.jobs.put) {
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

Result<std::vector<AuditEntry>> MemoryStore::audit(const AuditPart& part) {
  std::vector<AuditEntry> found;
  for (auto it = synced_.audit.rbegin(); it != synced_.audit.rend(); ++it) {
    if (found.size() == part.most) break;
    const bool wanted = part.leases || it->second.kind != AuditKind::kLease;
    if (wanted && (!part.before || it->first < *part.before)) found.push_back(it->second);
  }
  return found;
}

Result<Past> MemoryStore::past(const PastPart& part) {
  Past found{.spans = {}, .known_since = synced_.past_since};
  std::size_t of_jobs = 0;
  for (auto it = synced_.past.rbegin(); it != synced_.past.rend(); ++it) {
    if (it->until < part.from || it->from > part.until) continue;
    if (part.card && it->card != part.card) continue;
    if (!is_of_job(it->kind)) {
      found.spans.push_back(*it);
      continue;
    }
    if (part.uid && it->owner.uid != *part.uid) continue;
    if (!it->card && !part.without_cards) continue;
    if (++of_jobs > part.most) {
      ++found.left_out;
    } else {
      found.spans.push_back(*it);
    }
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
