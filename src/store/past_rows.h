// What happened on the cards, in SQL: spans are added with the commit that ends them, and the
// oldest go, a few with each commit, once they are too old or too many. Of too many, those of the
// user who has most: nobody pushes out what others did.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/store.h"
#include "store/sqlite.h"

namespace gpusched {

class PastRows {
 public:
  Result<void> prepare(Database& database);
  Result<void> write(const Commit& commit);
  void end_transaction(bool committed);

 private:
  struct Known {
    std::map<std::int64_t, std::size_t> by_user;  // Rows.
    std::optional<Wall> since;                    // Before that some are missing.
  };
  Result<void> add(const PastSpan& span);
  Result<void> prune(const PastBounds& bounds, std::size_t most);
  Result<bool> remove_oldest_before(Wall since);
  Result<void> remove_of_most(std::size_t surplus);
  Result<void> remove(std::int64_t id, std::int64_t uid, Wall ended);

  Database* database_ = nullptr;
  Statement insert_, oldest_, oldest_of_user_, delete_, put_since_;
  Known known_, committed_;  // In this transaction, and after the last.
};

// On a connection of its own.
class PastReader {
 public:
  static Result<PastReader> open(const std::string& path, const char* vfs);
  Result<Past> read(const PastPart& part);

 private:
  Database database_;
  Statement of_jobs_, others_, count_, since_;
};

}  // namespace gpusched
