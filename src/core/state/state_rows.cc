// The one door for changes, kind by kind: how a row is found, put and taken away, and what else
// follows from that. Every change remembers what it replaced: roll_back() undoes a turn whose
// commit failed, changes() says what to write.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/model/kind.h"
#include "core/model/signature.h"
#include "core/state/state.h"

namespace gpusched {

// Rows from which nothing else follows.
template <class Row>
const Row* State::find_row(const RowKey<Row>& key) const {
  return tables_.of<Row>().find(key);
}
template <class Row>
void State::set_row(Row row, Now) {
  const RowKey<Row> key = key_of(row);
  tables_.of<Row>().rows.insert_or_assign(key, std::move(row));
}
template <class Row>
void State::drop_row(const RowKey<Row>& key) {
  tables_.of<Row>().rows.erase(key);
}

template <class Row>
void State::change_row(Row row) {
  tables_.of<Row>().journal.remember(key_of(row), find_row<Row>(key_of(row)));
  set_row(std::move(row), {});
}

template <class Row>
void State::remove_row(RowKey<Row> key) {
  const Row* row = find_row<Row>(key);
  if (row == nullptr) return;
  tables_.of<Row>().journal.remember(key, row);
  drop_row<Row>(key);
}

// --- Jobs ---------------------------------------------------------------------------------------

template <>
const Job* State::find_row<Job>(const JobId& id) const {
  return find(id);
}

template <>
void State::set_row(Job job, Now now) {
  const JobId id = job.id;
  if (!job.ended() && job.signature == SignatureId{}) sign(job);
  const auto found = tables_.jobs.rows.find(id);
  if (found != tables_.jobs.rows.end()) {
    unindex(found->second);
    const Job before = std::exchange(found->second, std::move(job));
    environments_.change(&before, &found->second);
    index(found->second, now);
    // What an attempt that has ended took beyond its hold is judged by what the job is now.
    const bool moved = aside_phase(before) != aside_phase(found->second);
    if (before.active() && (!found->second.active() || moved)) {
      for (const CardGrant& held : grant_of(before)->cards) {
        if (const auto position = index_of(held.card)) refresh_ungranted(*position);
      }
    }
  } else {
    const auto entry = tables_.jobs.rows.emplace_hint(tables_.jobs.rows.end(), id, std::move(job));
    environments_.change(nullptr, &entry->second);
    index(entry->second, now);
  }
  next_job_ = std::max(next_job_, next(id));
}

template <>
void State::drop_row<Job>(const JobId& id) {
  const auto found = tables_.jobs.rows.find(id);
  CHECK(found != tables_.jobs.rows.end());
  unindex(found->second);
  environments_.change(&found->second, nullptr);
  tables_.jobs.rows.erase(found);
}

void State::put(Job job, Now now) {
  const Job* before = find(job.id);
  count_usage(before, job, now);
  note_past(before, job, now);
  count_work(before, job, now);
  tables_.jobs.journal.remember(job.id, before);
  const JobId id = job.id;
  const bool again = before != nullptr && before->ended() && !job.ended();
  set_row(std::move(job), now);
  if (again) reindex_dependents(id, now);  // Jobs that waited for its end wait again.
}

void State::remove(JobId id) {
  const Job* before = find(id);
  CHECK(before != nullptr);
  tables_.jobs.journal.remember(id, before);
  drop_row<Job>(id);
}

// --- Submissions --------------------------------------------------------------------------------

template <>
void State::set_row(Submission submission, Now) {
  if (!tables_.submissions.rows.contains(submission.id) && submission.open) {
    // No effect when a removal is undone: the range is still there then.
    staged_.emplace(submission.first,
                    Staged{JobId{number_of(submission.first) + submission.count}, submission.id});
  }
  next_job_ = std::max(next_job_, JobId{number_of(submission.first) + submission.count});
  if (!submission.key.empty()) keys_[{submission.tenant, submission.key}] = submission.id;
  tables_.submissions.rows[submission.id] = std::move(submission);
}

template <>
void State::drop_row<Submission>(const std::uint64_t& id) {
  const auto found = tables_.submissions.rows.find(id);
  if (found == tables_.submissions.rows.end()) return;
  // Jobs that are not released yet stay staged: without a record they count as closed.
  keys_.erase({found->second.tenant, found->second.key});
  tables_.submissions.rows.erase(found);
}

void State::put(Submission submission) { change_row(std::move(submission)); }

void State::remove_submission(std::uint64_t id) { remove_row<Submission>(id); }

// --- Drains -------------------------------------------------------------------------------------

template <>
void State::set_row(Drain drain, Now) {
  const std::string uuid = drain.uuid;
  tables_.drains.rows.insert_or_assign(uuid, std::move(drain));
  refresh_usable(uuid);
}
template <>
void State::drop_row<Drain>(const std::string& uuid) {
  tables_.drains.rows.erase(uuid);
  refresh_usable(uuid);
}
void State::put(Drain drain) { change_row(std::move(drain)); }
void State::remove_drain(const std::string& uuid) { remove_row<Drain>(uuid); }

// --- Tenants ------------------------------------------------------------------------------------

template <>
const Tenant* State::find_row<Tenant>(const std::string& name) const {
  const TenantBook::Entry* entry = tenants_.find(name);
  return entry != nullptr && entry->kept ? &*entry->kept : nullptr;
}
template <>
void State::set_row(Tenant tenant, Now) {
  tenants_.keep(std::move(tenant));
}
template <>
void State::drop_row<Tenant>(const std::string& name) {
  tenants_.forget(name);
}
void State::put(Tenant tenant) { change_row(std::move(tenant)); }
void State::remove_tenant(const std::string& name) { remove_row<Tenant>(name); }

// --- Reservations -----------------------------------------------------------------------------

template <>
void State::set_row(Reservation reservation, Now) {
  next_reservation_ = std::max(next_reservation_, reservation.id + 1);
  const std::uint64_t id = reservation.id;
  tables_.reservations.rows.insert_or_assign(id, std::move(reservation));
  refresh_reservations();
}
template <>
void State::drop_row<Reservation>(const std::uint64_t& id) {
  tables_.reservations.rows.erase(id);
  refresh_reservations();
}
void State::put(Reservation reservation) { change_row(std::move(reservation)); }
void State::remove_reservation(std::uint64_t id) { remove_row<Reservation>(id); }

// --- Messages -----------------------------------------------------------------------------------

template <>
void State::set_row(Message message, Now) {
  const auto found = tables_.messages.rows.find(message.id);
  if (found != tables_.messages.rows.end()) outbox_.drop(found->second);
  outbox_.add(message);
  const std::uint64_t id = message.id;
  tables_.messages.rows.insert_or_assign(id, std::move(message));
}
template <>
void State::drop_row<Message>(const std::uint64_t& id) {
  const auto found = tables_.messages.rows.find(id);
  if (found == tables_.messages.rows.end()) return;
  outbox_.drop(found->second);
  tables_.messages.rows.erase(found);
}
void State::put(Message message) { change_row(std::move(message)); }
void State::remove_message(std::uint64_t id) { remove_row<Message>(id); }

void State::set_sending(const std::string& receiver, std::optional<std::uint64_t> id) {
  if (!sending_before_) sending_before_ = sending_;
  if (id) {
    sending_[receiver] = *id;
  } else {
    sending_.erase(receiver);
  }
}

void State::end_doubt(std::uint64_t id) {
  if (!doubted_.contains(id)) return;
  if (!doubted_before_) doubted_before_ = doubted_;
  doubted_.erase(id);
}

void State::doubt_first_messages() {
  for (const auto& [receiver, lines] : outbox_.receivers()) {
    for (const auto& [due, id] : lines.heads) doubted_.insert(id);
  }
}

// --- Past runs ----------------------------------------------------------------------------------

template <>
const PastRuns* State::find_row<PastRuns>(const PastRunsKey& key) const {
  return estimates_.find(key);
}
template <>
void State::set_row(PastRuns past, Now) {
  estimates_.put(std::move(past), rules_.estimates);
}
template <>
void State::drop_row<PastRuns>(const PastRunsKey& key) {
  estimates_.erase(key);
}
void State::put(PastRuns past) {
  change_row(std::move(past));
  while (estimates_.size() > std::max<std::size_t>(rules_.estimates.signatures_most, 1)) {
    remove_row<PastRuns>(estimates_.oldest());
  }
}

// --- All of them --------------------------------------------------------------------------------

bool State::Changes::empty() const {
  bool nothing = trail.empty();
  for_each([&](const auto& delta) { nothing = nothing && delta.empty(); });
  return nothing;
}

bool State::has_changes() const {
  bool any = !trail_.empty();
  tables_.for_each([&](const auto& table) { any = any || !table.journal.empty(); });
  return any;
}

bool State::concerns_leases_alone() const {
  // What tenants have used, counted without any lease, lasts like everything else.
  if (tables_.jobs.journal.empty()) return false;
  for (const auto& [id, before] : tables_.jobs.journal.before()) {
    const Job* known = before ? &*before : find(id);
    if (known == nullptr || kind_of(*known).outlasts_machine) return false;
  }
  // What was used comes with every lease; what was set must last.
  for (const auto& [name, before] : tables_.tenants.journal.before()) {
    if ((before ? before->rule : TenantRule{}) != tenants_.rule_of(name)) return false;
  }
  for (const TrailEntry& entry : trail_) {
    const Job* job = find(entry.job);
    if (job != nullptr && kind_of(*job).outlasts_machine) return false;
  }
  bool others = false;
  tables_.for_each([&]<class Row>(const Table<Row>& table) {
    if constexpr (!std::is_same_v<Row, Job> && !std::is_same_v<Row, Tenant> &&
                  // As long as what they tell of.
                  !std::is_same_v<Row, KeptChange> && !std::is_same_v<Row, WorkSum>) {
      others = others || !table.journal.empty();
    }
  });
  return !others;
}

State::Changes State::changes() const {
  Changes changes;
  for_each_pair(tables_, static_cast<Durable<Delta>&>(changes),
                [&]<class Row>(const Table<Row>& table, Delta<Row>& delta) {
                  for (const auto& [key, before] : table.journal.before()) {
                    if (const Row* row = find_row<Row>(key)) {
                      delta.put.push_back(*row);
                    } else {
                      delta.removed.push_back(key);
                    }
                  }
                });
  changes.trail = trail_;
  changes.leases_alone = concerns_leases_alone();
  return changes;
}

void State::keep_changes() {
  tables_.for_each([](auto& table) { table.journal.clear(); });
  sweeps_before_.clear();
  sending_before_.reset();
  doubted_before_.reset();
  trail_.clear();
  past_.clear();
  trail_told_ = 0;
}

// Jobs before submissions: a job is indexed by what its submission is at the time.
void State::roll_back(Now now) {
  // All that changed go before any returns: two may have had the same card, one after the other.
  for (const auto& [id, before] : tables_.jobs.journal.before()) {
    if (find(id) != nullptr) drop_row<Job>(id);
  }
  tables_.for_each([&]<class Row>(const Table<Row>& table) {
    for (const auto& [key, before] : table.journal.before()) {
      if (before) {
        set_row(Row(*before), now);
      } else if (find_row<Row>(key) != nullptr) {
        drop_row<Row>(key);
      }
    }
  });
  // The jobs of a submission that never was are gone; nothing of it is left to be released.
  for (const auto& [id, before] : tables_.submissions.journal.before()) {
    if (before) continue;
    std::erase_if(staged_, [id = id](const auto& range) { return range.second.submission == id; });
  }
  // Not by counting back: a guard that is released counts from new.
  for (const auto& [array, before] : sweeps_before_) {
    if (before.record) {
      sweeps_[array] = *before.record;
    } else {
      sweeps_.erase(array);
    }
    if (before.guarded) {
      guarded_.insert(array);
    } else {
      guarded_.erase(array);
    }
  }
  if (sending_before_) sending_ = std::move(*sending_before_);
  if (doubted_before_) doubted_ = std::move(*doubted_before_);
  // A dependent that was restored before the job it waits for was judged by what is undone now.
  for (const auto& [id, before] : tables_.jobs.journal.before()) reindex_dependents(id, now);
  keep_changes();
}

}  // namespace gpusched
