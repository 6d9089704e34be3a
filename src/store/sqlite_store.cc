#include "store/sqlite_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "os/log.h"
#include "store/backup.h"
#include "store/loader.h"
#include "store/migrations.h"
#include "store/place.h"
#include "store/row_text.h"

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
constexpr const char* kLogEnding = "-wal";

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

Result<void> refuse_damage(Database& database, const std::string& path, const char* how) {
  const Result<std::string> verdict = database.ask(how);
  if (!verdict) return failure(verdict.error());
  if (*verdict == "ok") return {};
  return failure(ErrorCode::kIo, fmt::format("check {}: the database is damaged ({}); restore a "
                                             "backup",
                                             path, *verdict));
}

}  // namespace

SqliteStore::SqliteStore(std::string path, const char* vfs, std::unique_ptr<Database> database,
                         Writer writer, MarkFile mark, CancelFile cancels)
    : path_(std::move(path)),
      vfs_(vfs),
      database_(std::move(database)),
      writer_(std::move(writer)),
      mark_(std::move(mark)),
      cancels_(std::move(cancels)) {}

SqliteStore::~SqliteStore() { mark_.sync(); }

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
  Result<MarkFile> mark = MarkFile::open(options.directory);
  if (!mark) return failure(mark.error());
  Result<CancelFile> cancels = CancelFile::open(options.directory);
  if (!cancels) return failure(cancels.error());
  const Result<FilePlace> file = place_of_file(*path);
  if (!file) return failure(file.error());
  std::unique_ptr<SqliteStore> store(new SqliteStore(*path, options.vfs, std::move(database),
                                                     std::move(*writer), std::move(*mark),
                                                     std::move(*cancels)));
  store->file_ = *file;
  store->begin_ = std::move(*begin);
  store->commit_ = std::move(*commit);
  return store;
}

Result<StoreImage> SqliteStore::load() {
  const Result<std::optional<StoreLoss>> loss = look_for_loss();
  if (!loss) return failure(loss.error());
  const char* how = *loss ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)";
  if (Result<void> good = refuse_damage(*database_, path_, how); !good) {
    return failure(good.error());
  }
  // That was the first read, which makes the log. Another VFS than the system's has no such file.
  if (vfs_ == nullptr) {
    extend_log(path_, kLogBytesReady);
    if (const auto log = place_of_file(path_ + kLogEnding)) log_ = *log;
  }
  if (Result<void> done = remove_open_submissions(*database_, writer_); !done) {
    return failure(done.error());
  }
  Result<StoreImage> image = read_image(*database_, writer_);
  if (!image) return image;
  image->loss = *loss;
  // The next commit is written even if it is empty: from then on the numbers go on from here.
  failing_ = loss->has_value();
  take_cancels(*image, writer_.committed_numbers().commits);
  count_from_mark(*image);
  return image;
}

void SqliteStore::take_cancels(StoreImage& image, std::uint64_t commits_found) {
  // A commit has succeeded since: they are in it.
  if (commits_found > cancels_.commits()) cancels_.clear();
  image.cancels = cancels_.kept();
}

// Before anything is written: what is there now may be all that is left of what is missing.
Result<std::optional<StoreLoss>> SqliteStore::look_for_loss() {
  const Result<std::string> commits =
      database_->ask("SELECT value FROM meta WHERE name = 'commits'");
  if (!commits) return failure(commits.error());
  // Of a submission that is still open here nothing is kept, and by now it may be whole.
  const Result<std::string> next = database_->ask(
      "SELECT min(first) FROM (SELECT CAST(value AS INTEGER) AS first FROM meta"
      " WHERE name = 'next_job' UNION ALL SELECT first_job FROM submissions WHERE open)");
  if (!next) return failure(next.error());
  StoreLoss loss;
  loss.commits_known = mark_.found() ? mark_.found()->commits : 0;
  loss.commits_found = std::strtoull(commits->c_str(), nullptr, 10);
  if (!next->empty()) loss.next_job_found = JobId{std::strtoull(next->c_str(), nullptr, 10)};
  if (loss.commits_found >= loss.commits_known) return std::optional<StoreLoss>();
  const Result<std::string> copy = keep_copy(path_);
  if (copy) {
    log_warning("the database as it was found is kept", {{"copy", *copy}});
  } else {
    log_warning("the database as it was found could not be kept",
                {{"reason", copy.error().message}});
  }
  return std::optional<StoreLoss>(loss);
}

// No number is given twice, whatever the database has forgotten.
void SqliteStore::count_from_mark(StoreImage& image) {
  if (!mark_.found()) return write_mark();
  const StoreMark& mark = *mark_.found();
  NextNumbers numbers = writer_.committed_numbers();
  numbers.job = std::max(numbers.job, mark.next_job);
  numbers.submission = std::max(numbers.submission, mark.next_submission);
  numbers.trail = std::max(numbers.trail, mark.next_trail);
  numbers.commits = std::max(numbers.commits, mark.commits);
  writer_.know_numbers(numbers);
  image.next_job = JobId{numbers.job};
  image.next_submission = numbers.submission;
  image.next_trail_sequence = numbers.trail;
}

void SqliteStore::write_mark() {
  const NextNumbers& numbers = writer_.committed_numbers();
  mark_.write({numbers.commits, numbers.job, numbers.submission, numbers.trail});
}

// What is written into a file that was deleted is found by nobody.
Result<void> SqliteStore::require_files() {
  if (Result<void> same = require_same_file(path_, file_); !same || !log_) return same;
  Result<void> same = require_same_file(path_ + kLogEnding, *log_);
  // What was acknowledged is in there, and only we can still read it: the database gets all of it.
  if (!same) (void)database_->ask("PRAGMA wal_checkpoint(TRUNCATE)");
  return same;
}

Committed SqliteStore::commit(const Commit& commit) {
  if (commit.empty() && !failing_) return {};
  Result<void> done = require_files();
  if (done) done = commit_to_file(commit);
  failing_ = !done;
  if (done) {
    if (commit.has_kept_cancels) cancels_.clear();
    return {};
  }
  CommitError error(done.error());
  error.cancels_kept =
      !commit.cancels.empty() &&
      cancels_.keep(commit.cancels, writer_.committed_numbers().commits).has_value();
  return tl::unexpected<CommitError>(std::move(error));
}

Result<void> SqliteStore::commit_to_file(const Commit& commit) {
  if (unsynced_tail_) {
    if (Result<void> done = drop_unsynced_tail(); !done) return done;
  }
  begun_ = false;
  Result<void> done = write_and_commit(commit);
  if (!done) {
    const bool unsynced = database_->sync_failed();
    // SQLite has rolled back by itself after some errors. What failed is what is reported.
    if (database_->in_transaction()) (void)database_->run("ROLLBACK");
    // Before anybody hears of the failure: a daemon killed right after it must not find what was
    // refused. If it cannot be dropped for good now, no commit is taken until it could.
    unsynced_tail_ = (begun_ && !wipe_tail()) || unsynced;
    if (unsynced_tail_) (void)drop_unsynced_tail();
  }
  writer_.end_transaction(done.has_value());
  // What need not outlive the machine may be missing after a power cut, and the mark be there.
  if (done && commit.outlives_machine) write_mark();
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
  begun_ = true;
  if (Result<void> done = writer_.write(commit); !done) return done;
  return commit_.run();
}

// With the lock, so that nobody else's frames are there.
Result<void> SqliteStore::wipe_tail() {
  if (Result<void> begun = begin_.run(); !begun) return begun;
  Result<void> wiped = database_->wipe_log_tail();
  if (database_->in_transaction()) (void)database_->run("ROLLBACK");
  return wiped;
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

// REQUIRES: reader_mutex_ is held.
Result<void> SqliteStore::open_reader() {
  if (reader_) return {};
  Result<Database> opened = Database::open(path_, vfs_);
  if (!opened) return failure(opened.error());
  Result<Statement> trail = opened->prepare(
      "SELECT sequence, at, attempt, kind, text FROM trail"
      " WHERE job = ? AND sequence > ? ORDER BY sequence LIMIT ?");
  if (!trail) return failure(trail.error());
  Result<Statement> environment =
      opened->prepare("SELECT content FROM environments WHERE hash = ?");
  if (!environment) return failure(environment.error());
  Result<Statement> audit = opened->prepare(kSelectAudit);
  if (!audit) return failure(audit.error());
  reader_ = std::move(*opened);
  read_audit_ = std::move(*audit);
  read_trail_ = std::move(*trail);
  read_environment_ = std::move(*environment);
  return {};
}

Result<EnvironmentsByHash> SqliteStore::environments(const std::vector<std::string>& hashes) {
  const std::lock_guard lock(reader_mutex_);
  if (Result<void> open = open_reader(); !open) return failure(open.error());
  EnvironmentsByHash found;
  for (const std::string& hash : hashes) {
    if (found.contains(hash)) continue;
    read_environment_.start(hash);
    const Result<bool> row = read_environment_.next();
    if (!row) return failure(row.error());
    if (!*row) continue;
    auto environment = std::make_shared<Environment>();
    environment->hash = hash;
    environment->variables = environment_from_bytes(read_environment_.text(0));
    read_environment_.stop();
    found.emplace(hash, std::move(environment));
  }
  return found;
}

Result<std::vector<TrailEntry>> SqliteStore::trail(JobId job, std::uint64_t after_sequence,
                                                   std::size_t limit) {
  const std::lock_guard lock(reader_mutex_);
  if (Result<void> open = open_reader(); !open) return failure(open.error());
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

Result<std::vector<AuditEntry>> SqliteStore::audit(const AuditPart& part) {
  const std::lock_guard lock(reader_mutex_);
  if (Result<void> open = open_reader(); !open) return failure(open.error());
  return read_audit(read_audit_, part);
}

Result<Past> SqliteStore::past(const PastPart& part) {
  const std::lock_guard lock(past_mutex_);
  if (!past_reader_) {
    Result<PastReader> opened = PastReader::open(path_, vfs_);
    if (!opened) return failure(opened.error());
    past_reader_ = std::move(*opened);
  }
  return past_reader_->read(part);
}

Result<void> SqliteStore::backup(const std::string& path) {
  return copy_database(path_, path, vfs_);
}

}  // namespace gpusched
