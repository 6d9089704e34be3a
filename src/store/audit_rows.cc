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
      {&oldest_, "SELECT at, uid, sequence FROM audit WHERE kind = ? ORDER BY sequence LIMIT 1"},
      {&delete_oldest_, "DELETE FROM audit WHERE kind = ? AND sequence = ?"},
      {&delete_of_user_,
       "DELETE FROM audit WHERE kind = ?1 AND sequence IN"
       " (SELECT sequence FROM audit WHERE kind = ?1 AND uid = ?2 ORDER BY sequence LIMIT ?3)"}};
  for (const auto& [statement, sql] : wanted) {
    Result<Statement> prepared = database.prepare(sql);
    if (!prepared) return failure(prepared.error());
    *statement = std::move(*prepared);
  }
  Result<Statement> count =
      database.prepare("SELECT kind, uid, count(*) FROM audit GROUP BY kind, uid");
  if (!count) return failure(count.error());
  count->start();
  for (;;) {
    const Result<bool> row = count->next();
    if (!row) return failure(row.error());
    if (!*row) break;
    const std::int64_t kind = std::clamp<std::int64_t>(count->integer(0), 0, kAuditKinds - 1);
    counts_.at(static_cast<std::size_t>(kind))[count->integer(1)] =
        static_cast<std::size_t>(count->integer(2));
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
    ++of_kind(entry.kind)[uid];
  }
  for (const AuditKind kind : kAuditKindList) {
    if (Result<void> done = prune(kind, commit.audit_bounds, kPrunedAtOnce + commit.audit.size());
        !done) {
      return done;
    }
  }
  return {};
}

Result<bool> AuditRows::remove_oldest_before(AuditKind kind, Wall since) {
  oldest_.start(number_of_kind(kind));
  const Result<bool> row = oldest_.next();
  if (!row || !*row) return row;
  const bool before = Wall(Microseconds(oldest_.integer(0))) < since;
  const std::int64_t uid = oldest_.integer(1), sequence = oldest_.integer(2);
  oldest_.stop();
  if (!before) return false;
  if (Result<void> done = delete_oldest_.run(number_of_kind(kind), sequence); !done) {
    return failure(done.error());
  }
  ByUser& counts = of_kind(kind);
  if (--counts[uid] == 0) counts.erase(uid);
  return true;
}

// From the user who has most, until another one has as many.
Result<void> AuditRows::remove_surplus(AuditKind kind, std::size_t surplus) {
  ByUser& counts = of_kind(kind);
  while (surplus > 0 && !counts.empty()) {
    const auto most = std::ranges::max_element(counts, {}, &ByUser::value_type::second);
    std::size_t next = 0;
    for (const auto& [uid, count] : counts) {
      if (uid != most->first) next = std::max(next, count);
    }
    const std::size_t taken =
        std::min({surplus, most->second, std::max<std::size_t>(most->second - next, 1)});
    if (Result<void> done = delete_of_user_.run(number_of_kind(kind), most->first, taken); !done) {
      return done;
    }
    most->second -= taken;
    surplus -= taken;
    if (most->second == 0) counts.erase(most);
  }
  return {};
}

Result<void> AuditRows::prune(AuditKind kind, const AuditBounds& bounds, std::size_t most) {
  std::size_t count = 0;
  for (const auto& [uid, of_user] : of_kind(kind)) count += of_user;
  const std::size_t kept = audit_most(bounds, kind);
  const std::size_t surplus = std::min(count > kept ? count - kept : 0, most);
  if (Result<void> done = remove_surplus(kind, surplus); !done) return done;
  for (std::size_t looked = surplus; looked < most; ++looked) {
    const Result<bool> old = remove_oldest_before(kind, bounds.since);
    if (!old) return failure(old.error());
    if (!*old) break;
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
