#include "store/audit_rows.h"

#include <algorithm>

namespace gpusched {
namespace {

// Removed with one commit, beside as many as it adds.
constexpr std::size_t kPrunedAtOnce = 100;
constexpr std::int64_t kNoUid = -1;

constexpr std::array kAuditKindList = {AuditKind::kChange, AuditKind::kRefusal, AuditKind::kLease};

std::int64_t number_of_kind(AuditKind kind) { return static_cast<std::int64_t>(kind); }

AuditEntry audit_entry_at(const Statement& row) {
  const auto text = [&row](int column) { return std::string(row.text(column)); };
  AuditEntry entry;
  entry.kind = static_cast<AuditKind>(std::clamp<std::int64_t>(row.integer(0), 0, kAuditKinds - 1));
  entry.sequence = static_cast<std::uint64_t>(row.integer(1));
  entry.at = Wall(Microseconds(row.integer(2)));
  if (row.integer(3) != kNoUid) entry.uid = static_cast<std::uint32_t>(row.integer(3));
  entry.user = text(4);
  entry.role = text(5);
  entry.proof = text(6);
  entry.pid = static_cast<int>(row.integer(7));
  entry.token = text(8);
  entry.from = text(9);
  entry.operation = text(10);
  entry.target = text(11);
  entry.summary = text(12);
  entry.result = text(13);
  entry.code = text(14);
  entry.key = text(15);
  entry.times = static_cast<std::uint64_t>(row.integer(16));
  return entry;
}

}  // namespace

// Each kind is read from its own newest on, so that one of which there are many costs the others
// nothing.
const char* const kSelectAudit =
    "SELECT * FROM (SELECT * FROM audit WHERE kind = 0 AND sequence < ?1"
    " ORDER BY sequence DESC LIMIT ?2)"
    " UNION ALL SELECT * FROM (SELECT * FROM audit WHERE kind = 1 AND sequence < ?1"
    " ORDER BY sequence DESC LIMIT ?2)"
    " UNION ALL SELECT * FROM (SELECT * FROM audit WHERE kind = 2 AND ?3 AND sequence < ?1"
    " ORDER BY sequence DESC LIMIT ?2)"
    " ORDER BY sequence DESC LIMIT ?2";

Result<std::vector<AuditEntry>> read_audit(Statement& select, const AuditPart& part) {
  std::vector<AuditEntry> entries;
  const std::uint64_t before = std::min<std::uint64_t>(part.before.value_or(INT64_MAX),
                                                       static_cast<std::uint64_t>(INT64_MAX));
  select.start(before, part.most, part.leases);
  for (;;) {
    const Result<bool> row = select.next();
    if (!row) return failure(row.error());
    if (!*row) return entries;
    entries.push_back(audit_entry_at(select));
  }
}

Result<void> AuditRows::prepare(Database& database) {
  database_ = &database;
  const std::pair<Statement*, const char*> wanted[] = {
      {&insert_,
       "INSERT OR REPLACE INTO audit(kind, sequence, at, uid, user_name, role, proof, pid, token,"
       " address, operation, target, summary, result, code, key, times)"
       " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&update_,
       "UPDATE audit SET summary = ?, result = ?, code = ? WHERE kind = ? AND sequence = ?"},
      {&oldest_, "SELECT at FROM audit WHERE kind = ? ORDER BY sequence LIMIT 1"},
      {&delete_,
       "DELETE FROM audit WHERE kind = ?1 AND sequence IN"
       " (SELECT sequence FROM audit WHERE kind = ?1 ORDER BY sequence LIMIT ?2)"}};
  for (const auto& [statement, sql] : wanted) {
    Result<Statement> prepared = database.prepare(sql);
    if (!prepared) return failure(prepared.error());
    *statement = std::move(*prepared);
  }
  Result<Statement> count = database.prepare("SELECT count(*) FROM audit WHERE kind = ?");
  if (!count) return failure(count.error());
  for (std::size_t kind = 0; kind < counts_.size(); ++kind) {
    count->start(kind);
    const Result<bool> row = count->next();
    if (!row) return failure(row.error());
    counts_.at(kind) = static_cast<std::size_t>(count->integer(0));
    count->stop();
  }
  committed_ = counts_;
  return {};
}

Result<void> AuditRows::write(const Commit& commit) {
  if (commit.audit.empty()) return {};
  for (const AuditEntry& entry : commit.audit) {
    if (entry.again) {
      if (Result<void> done = update_.run(entry.summary, entry.result, entry.code,
                                          number_of_kind(entry.kind), entry.sequence);
          !done) {
        return done;
      }
      continue;
    }
    const std::int64_t uid = entry.uid ? std::int64_t{*entry.uid} : kNoUid;
    if (Result<void> done = insert_.run(number_of_kind(entry.kind), entry.sequence,
                                        entry.at.time_since_epoch().count(), uid, entry.user,
                                        entry.role, entry.proof, entry.pid, entry.token, entry.from,
                                        entry.operation, entry.target, entry.summary, entry.result,
                                        entry.code, entry.key, entry.times);
        !done) {
      return done;
    }
    ++counts_.at(static_cast<std::size_t>(entry.kind));
  }
  for (const AuditKind kind : kAuditKindList) {
    if (Result<void> done = prune(kind, commit.audit_bounds, kPrunedAtOnce + commit.audit.size());
        !done) {
      return done;
    }
  }
  return {};
}

Result<bool> AuditRows::oldest_is_before(AuditKind kind, Wall since) {
  oldest_.start(number_of_kind(kind));
  const Result<bool> row = oldest_.next();
  if (!row || !*row) return row;
  const bool before = Wall(Microseconds(oldest_.integer(0))) < since;
  oldest_.stop();
  return before;
}

Result<void> AuditRows::prune(AuditKind kind, const AuditBounds& bounds, std::size_t most) {
  std::size_t& count = counts_.at(static_cast<std::size_t>(kind));
  const std::size_t kept = audit_most(bounds, kind);
  const std::size_t surplus = std::min(count > kept ? count - kept : 0, most);
  if (surplus > 0) {
    if (Result<void> done = delete_.run(number_of_kind(kind), surplus); !done) return done;
    count -= static_cast<std::size_t>(database_->changes());
  }
  for (std::size_t looked = surplus; looked < most && count > 0; ++looked) {
    const Result<bool> old = oldest_is_before(kind, bounds.since);
    if (!old) return failure(old.error());
    if (!*old) break;
    if (Result<void> done = delete_.run(number_of_kind(kind), 1); !done) return done;
    --count;
  }
  return {};
}

void AuditRows::end_transaction(bool committed) {
  if (committed) {
    committed_ = counts_;
  } else {
    counts_ = committed_;
  }
}

}  // namespace gpusched
