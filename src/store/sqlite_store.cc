#include "store/sqlite_store.h"

#include <fmt/format.h>

#include <utility>

#include "store/backup.h"
#include "store/loader.h"
#include "store/migrations.h"
#include "store/place.h"

namespace gpusched {
namespace {

// A checkpoint copies the log into the database and syncs both; its cost grows with the pages it
// moves. 1,000 pages are 4 MiB: seen as one commit in several hundred that takes 3 to 10 ms
// instead of 0.2. Larger would make rarer but longer stalls; smaller, more syncs.
constexpr int kCheckpointPages = 1000;
// What the log grows to before a checkpoint, with room for the commit that brings it there.
constexpr std::size_t kLogBytesReady = (kCheckpointPages + 200) * (4096 + 24);
// After a burst the log file shrinks back to this at the next checkpoint.
constexpr int kLogBytesKept = 16 * 1024 * 1024;

Result<void> configure(Database& database, const std::string& path, std::int64_t most_pages) {
  const Result<std::string> mode = database.ask("PRAGMA journal_mode = WAL");
  if (!mode) return failure(mode.error());
  if (*mode != "wal") {
    return failure(ErrorCode::kUnsupported,
                   fmt::format("open {}: this file system cannot hold a write-ahead log "
                               "(journal mode stays {})",
                               path, *mode));
  }
  const std::string settings = fmt::format(
      // What was acknowledged survives a power cut.
      "PRAGMA synchronous = FULL;"
      // Environments hold secrets: removed rows are overwritten.
      "PRAGMA secure_delete = ON;"
      "PRAGMA wal_autocheckpoint = {}; PRAGMA journal_size_limit = {};"
      "PRAGMA cache_size = -2048; PRAGMA temp_store = MEMORY;"
      // Damage is noticed where it is read, not passed on.
      "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;",
      kCheckpointPages, kLogBytesKept);
  if (Result<void> done = database.run(settings.c_str()); !done) return done;
  if (most_pages == 0) return {};
  return database.run(fmt::format("PRAGMA max_page_count = {}", most_pages).c_str());
}

Result<void> refuse_damage(Database& database, const std::string& path) {
  const Result<std::string> verdict = database.ask("PRAGMA quick_check(1)");
  if (!verdict) return failure(verdict.error());
  if (*verdict == "ok") return {};
  return failure(ErrorCode::kIo, fmt::format("check {}: the database is damaged ({}); restore a "
                                             "backup",
                                             path, *verdict));
}

}  // namespace

SqliteStore::SqliteStore(std::string path, const char* vfs, std::unique_ptr<Database> database,
                         Writer writer)
    : path_(std::move(path)),
      vfs_(vfs),
      database_(std::move(database)),
      writer_(std::move(writer)) {}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const Options& options) {
  const Result<std::string> path = prepare_place(options.directory);
  if (!path) return failure(path.error());
  Result<Database> opened = Database::open(*path, options.vfs);
  if (!opened) return failure(opened.error());
  auto database = std::make_unique<Database>(std::move(*opened));
  // First of all: a file that is refused stays as it was.
  if (Result<void> done = migrate(*database, *path, schema_steps()); !done) {
    return failure(done.error());
  }
  if (Result<void> done = configure(*database, *path, options.most_pages); !done) {
    return failure(done.error());
  }
  if (Result<void> done = mark_created(options.directory); !done) return failure(done.error());

  Result<Writer> writer = Writer::prepare(*database);
  if (!writer) return failure(writer.error());
  Result<Statement> begin = database->prepare("BEGIN IMMEDIATE");
  if (!begin) return failure(begin.error());
  Result<Statement> commit = database->prepare("COMMIT");
  if (!commit) return failure(commit.error());
  std::unique_ptr<SqliteStore> store(
      new SqliteStore(*path, options.vfs, std::move(database), std::move(*writer)));
  store->begin_ = std::move(*begin);
  store->commit_ = std::move(*commit);
  return store;
}

Result<StoreImage> SqliteStore::load() {
  if (Result<void> good = refuse_damage(*database_, path_); !good) return failure(good.error());
  // That was the first read, which makes the log. Another VFS than the system's has no such file.
  if (vfs_ == nullptr) extend_log(path_, kLogBytesReady);
  if (Result<void> done = remove_open_submissions(*database_, writer_); !done) {
    return failure(done.error());
  }
  return read_image(*database_, writer_);
}

Result<void> SqliteStore::commit(const Commit& commit) {
  if (commit.empty()) return {};
  if (unsynced_tail_) {
    if (Result<void> done = drop_unsynced_tail(); !done) return done;
  }
  Result<void> done = write_and_commit(commit);
  if (!done) {
    unsynced_tail_ = database_->sync_failed();
    // SQLite has rolled back by itself after some errors. What failed is what is reported.
    if (database_->in_transaction()) (void)database_->run("ROLLBACK");
    // If it cannot be dropped now, no commit is taken until it could.
    if (unsynced_tail_) (void)drop_unsynced_tail();
  }
  writer_.settle(done.has_value());
  return done;
}

// What is not synced stands in the log all the same: it survives the end of this process, and a
// sync of the log later is one of everything before it.
Result<void> SqliteStore::sync_commits(bool sync) {
  if (syncs_ == sync) return {};
  Result<void> done =
      database_->run(sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  if (done) syncs_ = sync;
  return done;
}

Result<void> SqliteStore::write_and_commit(const Commit& commit) {
  if (Result<void> done = sync_commits(commit.outlives_machine); !done) return done;
  if (Result<void> done = begin_.run(); !done) return done;
  if (Result<void> done = writer_.write(commit); !done) return done;
  return commit_.run();
}

// When only the sync failed, the whole transaction stands in the log, and a daemon killed now
// would find it there at its next start, although the caller was told that it failed.
Result<void> SqliteStore::drop_unsynced_tail() {
  const Result<std::string> busy = database_->ask("PRAGMA wal_checkpoint(TRUNCATE)");
  if (!busy) return failure(busy.error());
  if (*busy != "0") {
    return failure(ErrorCode::kIo, fmt::format("write {}: another program holds it locked", path_));
  }
  unsynced_tail_ = false;
  return {};
}

Result<std::vector<TrailEntry>> SqliteStore::trail(JobId job, std::uint64_t after_sequence,
                                                   std::size_t limit) {
  const std::lock_guard lock(reader_mutex_);
  if (!reader_) {
    Result<Database> opened = Database::open(path_, vfs_);
    if (!opened) return failure(opened.error());
    Result<Statement> query = opened->prepare(
        "SELECT sequence, at, attempt, kind, text FROM trail"
        " WHERE job = ? AND sequence > ? ORDER BY sequence LIMIT ?");
    if (!query) return failure(query.error());
    reader_ = std::move(*opened);
    read_trail_ = std::move(*query);
  }
  std::vector<TrailEntry> entries;
  // SQLite reads a negative limit as none, which is what a huge one means.
  read_trail_.start(number_of(job), after_sequence, limit);
  for (;;) {
    const Result<bool> row = read_trail_.next();
    if (!row) return failure(row.error());
    if (!*row) return entries;
    entries.push_back({.sequence = static_cast<std::uint64_t>(read_trail_.integer(0)),
                       .job = job,
                       .at = Wall(Microseconds(read_trail_.integer(1))),
                       .attempt = static_cast<int>(read_trail_.integer(2)),
                       .kind = std::string(read_trail_.text(3)),
                       .text = std::string(read_trail_.text(4))});
  }
}

Result<void> SqliteStore::backup(const std::string& path) {
  return copy_database(path_, path, vfs_);
}

}  // namespace gpusched
