// The Store on SQLite: one file in write-ahead-log mode, one transaction and one fdatasync per
// commit. docs/storage-database.md has the tables and what survives which crash.
//
// Threads: load() and commit() on one thread at a time; trail(), audit(), past(), environments()
// and backup() on any, also while a commit is under way, because they use connections of their own.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/store.h"
#include "store/cancel_file.h"
#include "store/mark.h"
#include "store/past_rows.h"
#include "store/place.h"
#include "store/sqlite.h"
#include "store/writer.h"

namespace gpusched {

class SqliteStore : public Store {
 public:
  struct Options {
    std::string directory;        // Must exist.
    const char* vfs = nullptr;    // For tests: another file layer than the system's.
    std::int64_t most_pages = 0;  // For tests: a full disk at this size; 0: no limit.
  };
  // Opens or creates the database and brings its schema up to date. Refuses, with one sentence,
  // what it cannot keep safe: damaged, newer, not ours, gone missing, on a network file system.
  static Result<std::unique_ptr<SqliteStore>> open(const Options& options);
  ~SqliteStore() override;

  // A store that holds less than was acknowledged is loaded all the same: a copy of the files is
  // kept, `loss` says what is missing, and no number of it is given again.
  Result<StoreImage> load() override;
  Committed commit(const Commit& commit) override;
  Result<std::vector<TrailEntry>> trail(JobId job, std::uint64_t after_sequence,
                                        std::size_t limit) override;
  Result<std::vector<AuditEntry>> audit(const AuditPart& part) override;
  Result<Past> past(const PastPart& part) override;
  Result<EnvironmentsByHash> environments(const std::vector<std::string>& hashes) override;
  Result<void> backup(const std::string& path) override;

 private:
  SqliteStore(std::string path, const char* vfs, std::unique_ptr<Database> database, Writer writer,
              MarkFile mark, CancelFile cancels);

  Result<void> open_reader();
  Result<void> commit_to_file(const Commit& commit);
  Result<void> require_files();
  Result<void> write_and_commit(const Commit& commit);
  Result<void> sync_commits(bool sync);
  Result<void> wipe_tail();
  Result<void> drop_unsynced_tail();
  Result<std::optional<StoreLoss>> look_for_loss();
  void count_from_mark(StoreImage& image);
  void write_mark();
  void take_cancels(StoreImage& image, std::uint64_t commits_found);

  std::string path_;
  const char* vfs_;
  std::unique_ptr<Database> database_;  // The writer keeps its address.
  Writer writer_;
  Statement begin_, commit_;
  MarkFile mark_;
  CancelFile cancels_;
  FilePlace file_;                // The database, as it was opened.
  std::optional<FilePlace> log_;  // Its write-ahead log; nullopt: not to be seen as a file.
  bool unsynced_tail_ = false;
  bool begun_ = false;    // The transaction of the last commit.
  bool failing_ = false;  // The last commit failed.
  bool syncs_ = true;     // Every commit, not only checkpoints.

  std::mutex reader_mutex_;
  // Guarded by reader_mutex_; opened when first needed.
  std::optional<Database> reader_;
  Statement read_trail_, read_environment_, read_audit_;
  // It reads much: what is read of the trail does not wait for it.
  std::mutex past_mutex_;
  std::optional<PastReader> past_reader_;  // Guarded by past_mutex_.
};

}  // namespace gpusched
