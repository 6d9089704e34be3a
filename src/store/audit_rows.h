// The audit in SQL: entries are added with the commit of what they tell of, and the oldest go, a
// few with each commit, once they are too old or too many of their kind. Of too many, those of the
// user who has most: nobody pushes out what others did.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "base/result.h"
#include "engine/store.h"
#include "store/sqlite.h"

namespace gpusched {

inline constexpr const char* kNextAudit =
    "SELECT coalesce(max(newest), 0) + 1 FROM"
    " (SELECT max(sequence) AS newest FROM audit WHERE kind = 0"
    " UNION ALL SELECT max(sequence) FROM audit WHERE kind = 1"
    " UNION ALL SELECT max(sequence) FROM audit WHERE kind = 2)";
// The newest first: before which, how many, and whether leases are wanted.
extern const char* const kSelectAudit;

Result<std::vector<AuditEntry>> read_audit(Statement& select, const AuditPart& part);

class AuditRows {
 public:
  Result<void> prepare(Database& database);
  Result<void> write(const Commit& commit);
  void end_transaction(bool committed);

 private:
  // Of one kind, by user.
  using ByUser = std::map<std::int64_t, std::size_t>;
  using Counts = std::array<ByUser, kAuditKinds>;

  Result<void> prune(AuditKind kind, const AuditBounds& bounds, std::size_t most);
  Result<void> remove_surplus(AuditKind kind, std::size_t surplus);
  // Removes the oldest if it is from before `since`; false: it is not.
  Result<bool> remove_oldest_before(AuditKind kind, Wall since);
  ByUser& of_kind(AuditKind kind) { return counts_.at(static_cast<std::size_t>(kind)); }

  Database* database_ = nullptr;
  Statement insert_, update_, oldest_, delete_oldest_, delete_of_user_;
  Counts counts_{};
  Counts committed_{};  // After the last transaction.
};

}  // namespace gpusched
