// The Store in memory, for the simulator and for tests: the same contract as store/, plus what a
// disk does in bad hours. It outlives the daemons that use it: load() stands for a restart, and
// keeps what a killed process leaves behind; drop_unsynced() stands for a power cut.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/store.h"

namespace gpusched {

class MemoryStore : public Store {
 public:
  Result<StoreImage> load() override;
  // stage() and sync() in one.
  Committed commit(const Commit& commit) override;
  Result<std::vector<TrailEntry>> trail(JobId job, std::uint64_t after_sequence,
                                        std::size_t limit) override;
  Result<std::vector<AuditEntry>> audit(const AuditPart& part) override;
  Result<Past> past(const PastPart& part) override;
  Result<EnvironmentsByHash> environments(const std::vector<std::string>& hashes) override;
  Result<void> backup(const std::string& path) override;

  // The halves of a commit, for a crash between them. What is staged is in the file but not on
  // the disk: a new daemon finds it, a power cut takes it.
  void stage(const Commit& commit);
  void sync();
  void drop_unsynced() { unsynced_.clear(); }

  // Somebody puts an older copy in its place, as backup(path) made it; what was acknowledged is
  // still remembered outside of it.
  void go_back_to(const std::string& path) { synced_ = backups_.at(path); }

  // The next `count` commits fail with this code and leave nothing behind; on a full disk there is
  // room for cancels.
  void fail_next(int count, ErrorCode code);

  // A store that begins with what backup(path) kept. Null if there was no such backup.
  std::unique_ptr<MemoryStore> restored(const std::string& path) const;

 private:
  template <class Row>
  using RowMap = std::map<RowKey<Row>, Row>;
  struct Tables {
    Durable<RowMap> rows;
    std::map<JobId, std::vector<TrailEntry>> trail;
    std::map<std::uint64_t, AuditEntry> audit;
    std::vector<PastSpan> past;
    std::optional<Wall> past_since;
    std::string boot_id;
    std::optional<Wall> clock;
    std::uint64_t alarms_looked = 0;
    std::uint64_t commits = 0;
    std::uint64_t next_job = 1;
    std::uint64_t next_submission = 1;
    std::uint64_t next_trail_sequence = 1;

    void apply(const Commit& commit);
    void put(const TrailEntry& entry);
    std::vector<TrailEntry> unlooked() const;
    void put_audit(const Commit& commit);
    void put_past(const Commit& commit);
    void remove_surplus(AuditKind kind, std::size_t most);
    void note_numbers(const Commit& commit);
    void remove_job(JobId id);
    void remove_open_submissions();
  };

  Tables synced_;
  std::vector<Commit> unsynced_;
  EnvironmentsByHash environments_;  // All that there ever were.
  std::map<std::string, Tables> backups_;
  struct Mark {
    std::uint64_t commits = 0, next_job = 1, next_submission = 1, next_trail_sequence = 1;
  };
  Mark mark_;
  std::vector<KeptCancel> cancels_;
  std::uint64_t cancels_at_ = 0;  // Commits in the file when they were kept.
  int failures_left_ = 0;
  ErrorCode failure_code_ = ErrorCode::kIo;
};

}  // namespace gpusched
