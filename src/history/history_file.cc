#include "history/history_file.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "store/migrations.h"

namespace gpusched::history {
namespace {

constexpr const char* kVersion1 = R"sql(
CREATE TABLE cards(
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  number INTEGER
);

CREATE TABLE attempts(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  UNIQUE(job, attempt)
);

CREATE TABLE blocks(
  key INTEGER PRIMARY KEY,
  data BLOB NOT NULL
);
)sql";
constexpr const char* kSteps[] = {kVersion1};

// Three bits of tier, 28 of minutes since 1970 (until 2480), 32 of owner; the sign stays free.
constexpr int kOwnerBits = 32;
constexpr int kMinuteBits = 28;
constexpr std::int64_t kOwners = std::int64_t{1} << kOwnerBits;
constexpr std::int64_t kMinutes = std::int64_t{1} << kMinuteBits;
constexpr std::chrono::minutes kLastMinute{kMinutes - 1};

std::int64_t space_key(Space space) {
  return static_cast<std::int64_t>(space) << (kMinuteBits + kOwnerBits);
}

std::int64_t key_from(Space space, Wall start) {
  const auto minute = std::chrono::floor<std::chrono::minutes>(start.time_since_epoch()).count();
  return space_key(space) | std::clamp<std::int64_t>(minute, 0, kMinutes - 1) << kOwnerBits;
}

std::int64_t number_of(const BlockKey& key) {
  return key_from(key.space, key.start) | static_cast<std::int64_t>(key.owner);
}

std::int64_t last_key(Space space) { return space_key(space) | ((kMinutes << kOwnerBits) - 1); }

std::int64_t us(Wall at) { return at.time_since_epoch().count(); }
Wall wall(std::int64_t us) { return Wall{Microseconds{us}}; }

}  // namespace

bool fits_key(Wall at) { return at >= Wall{} && at < Wall{kLastMinute}; }

Result<std::unique_ptr<HistoryFile>> HistoryFile::open(const std::string& path, const char* vfs,
                                                       bool& damaged) {
  damaged = false;
  std::unique_ptr<HistoryFile> file(new HistoryFile());
  Result<Database> database = Database::open(path, vfs);
  if (!database) return failure(database.error());
  file->database_ = std::move(*database);
  if (Result<void> prepared = file->prepare(path); !prepared) {
    damaged = file->damaged();
    return failure(prepared.error());
  }
  return file;
}

Result<void> HistoryFile::prepare(const std::string& path) {
  // Lost with the power: at most what was written last. Never the file.
  for (const char* setting : {"PRAGMA auto_vacuum=INCREMENTAL", "PRAGMA journal_mode=WAL",
                              "PRAGMA synchronous=NORMAL", "PRAGMA journal_size_limit=4194304"}) {
    if (Result<void> set = database_.run(setting); !set) return set;
  }
  Result<std::string> sound = database_.ask("PRAGMA quick_check(1)");
  if (!sound) return failure(sound.error());
  if (*sound != "ok") {
    unsound_ = true;
    return failure(ErrorCode::kIo, "read " + path + ": the database is damaged: " + *sound);
  }
  if (Result<void> done = migrate(database_, path, kSteps); !done) return done;
  const std::pair<Statement*, const char*> statements[] = {
      {&load_, "SELECT data FROM blocks WHERE key=?"},
      {&save_, "INSERT OR REPLACE INTO blocks VALUES(?, CAST(? AS BLOB))"},
      {&remove_, "DELETE FROM blocks WHERE key=?"},
      {&remove_some_,
       "DELETE FROM blocks WHERE key IN "
       "(SELECT key FROM blocks WHERE key>=? AND key<=? ORDER BY key LIMIT ?)"},
      {&remove_owner_, "DELETE FROM blocks WHERE key>=? AND key<=? AND (key & ?)=?"},
      {&oldest_, "SELECT min(key) FROM blocks WHERE key>=? AND key<=?"},
      {&list_cards_, "SELECT id, uuid, number FROM cards ORDER BY number IS NULL, number, id"},
      {&find_card_, "SELECT id FROM cards WHERE uuid=?"},
      {&add_card_, "INSERT INTO cards(uuid) VALUES(?)"},
      {&clear_number_, "UPDATE cards SET number=NULL WHERE number=?"},
      {&set_number_, "UPDATE cards SET number=? WHERE id=?"},
      {&list_attempts_,
       "SELECT id, attempt, first_at, last_at FROM attempts WHERE job=? ORDER BY attempt"},
      {&list_jobs_, "SELECT DISTINCT job FROM attempts ORDER BY job"},
      {&add_attempt_, "INSERT INTO attempts(job, attempt, first_at, last_at) VALUES(?, ?, ?, ?)"},
      {&stretch_,
       "UPDATE attempts SET first_at=min(first_at, ?), last_at=max(last_at, ?)"
       " WHERE id=?"},
      {&remove_attempt_, "DELETE FROM attempts WHERE id=?"},
  };
  for (const auto& [statement, sql] : statements) {
    Result<Statement> prepared = database_.prepare(sql);
    if (!prepared) return failure(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

Result<void> HistoryFile::begin() {
  if (database_.in_transaction()) return {};
  return database_.run("BEGIN IMMEDIATE");
}

Result<void> HistoryFile::commit() {
  if (!database_.in_transaction()) return {};
  return database_.run("COMMIT");
}

Result<std::optional<std::string>> HistoryFile::load(const BlockKey& key) {
  load_.start(number_of(key));
  Result<bool> row = load_.next();
  if (!row) return failure(row.error());
  if (!*row) return std::nullopt;
  std::optional<std::string> bytes(load_.text(0));
  load_.stop();
  return bytes;
}

Result<void> HistoryFile::save(const BlockKey& key, const std::string& bytes) {
  if (Result<void> begun = begin(); !begun) return begun;
  return save_.run(number_of(key), std::string_view(bytes));
}

Result<void> HistoryFile::remove(const BlockKey& key) {
  if (Result<void> begun = begin(); !begun) return begun;
  return remove_.run(number_of(key));
}

Result<void> HistoryFile::remove_all_of(Space space, Owner owner) {
  if (Result<void> begun = begin(); !begun) return begun;
  return remove_owner_.run(space_key(space), last_key(space), kOwners - 1,
                           static_cast<std::int64_t>(owner));
}

Result<int> HistoryFile::remove_between(std::int64_t least, std::int64_t most, int rows) {
  if (Result<void> begun = begin(); !begun) return failure(begun.error());
  if (Result<void> done = remove_some_.run(least, most, rows); !done) return failure(done.error());
  return database_.changes();
}

Result<int> HistoryFile::remove_before(Space space, Wall start, int most) {
  return remove_between(space_key(space), key_from(space, start) - 1, most);
}

Result<int> HistoryFile::remove_after(Space space, Wall start, int most) {
  return remove_between(key_from(space, start + std::chrono::minutes{1}), last_key(space), most);
}

Result<std::optional<Wall>> HistoryFile::oldest(Space space) {
  oldest_.start(space_key(space), last_key(space));
  Result<bool> row = oldest_.next();
  if (!row) return failure(row.error());
  const std::optional<std::int64_t> key = oldest_.maybe_integer(0);
  oldest_.stop();
  if (!key) return std::nullopt;
  return Wall{std::chrono::minutes{(*key >> kOwnerBits) & (kMinutes - 1)}};
}

Result<std::vector<KnownCard>> HistoryFile::cards() {
  std::vector<KnownCard> cards;
  list_cards_.start();
  for (;;) {
    Result<bool> row = list_cards_.next();
    if (!row) return failure(row.error());
    if (!*row) return cards;
    KnownCard& card = cards.emplace_back();
    card.owner = Owner{list_cards_.integer(0)};
    card.uuid = list_cards_.text(1);
    if (const auto number = list_cards_.maybe_integer(2)) {
      card.number = static_cast<CardNumber>(*number);
    }
  }
}

Result<Owner> HistoryFile::put_card(const std::string& uuid, CardNumber number) {
  if (Result<void> begun = begin(); !begun) return failure(begun.error());
  find_card_.start(std::string_view(uuid));
  Result<bool> row = find_card_.next();
  if (!row) return failure(row.error());
  std::int64_t id = *row ? find_card_.integer(0) : 0;
  find_card_.stop();
  if (id == 0) {
    if (auto added = add_card_.run(std::string_view(uuid)); !added) return failure(added.error());
    id = database_.last_row();
  }
  const int as_number = gpusched::number_of(number);
  if (auto done = clear_number_.run(as_number); !done) return failure(done.error());
  if (auto done = set_number_.run(as_number, id); !done) return failure(done.error());
  return Owner{id};
}

Result<std::vector<KnownAttempt>> HistoryFile::attempts_of(JobId job) {
  std::vector<KnownAttempt> attempts;
  list_attempts_.start(gpusched::number_of(job));
  for (;;) {
    Result<bool> row = list_attempts_.next();
    if (!row) return failure(row.error());
    if (!*row) return attempts;
    attempts.push_back({Owner{list_attempts_.integer(0)},
                        {job, static_cast<int>(list_attempts_.integer(1))},
                        wall(list_attempts_.integer(2)),
                        wall(list_attempts_.integer(3))});
  }
}

Result<std::vector<JobId>> HistoryFile::jobs() {
  std::vector<JobId> jobs;
  list_jobs_.start();
  for (;;) {
    Result<bool> row = list_jobs_.next();
    if (!row) return failure(row.error());
    if (!*row) return jobs;
    jobs.push_back(static_cast<JobId>(list_jobs_.integer(0)));
  }
}

Result<Owner> HistoryFile::put_attempt(AttemptId attempt, Wall at) {
  Result<std::vector<KnownAttempt>> known = attempts_of(attempt.job);
  if (!known) return failure(known.error());
  for (const KnownAttempt& each : *known) {
    if (each.attempt == attempt) return each.owner;
  }
  if (Result<void> begun = begin(); !begun) return failure(begun.error());
  const std::uint64_t job = gpusched::number_of(attempt.job);
  if (auto added = add_attempt_.run(job, attempt.number, us(at), us(at)); !added) {
    return failure(added.error());
  }
  if (database_.last_row() >= kOwners) {
    return failure(ErrorCode::kUnsupported,
                   "history.db has seen all the attempts it can tell apart");
  }
  return Owner{database_.last_row()};
}

Result<void> HistoryFile::stretch(Owner attempt, Wall at) {
  if (Result<void> begun = begin(); !begun) return begun;
  return stretch_.run(us(at), us(at), static_cast<std::int64_t>(attempt));
}

Result<void> HistoryFile::remove_attempt(Owner attempt) {
  if (Result<void> begun = begin(); !begun) return begun;
  return remove_attempt_.run(static_cast<std::int64_t>(attempt));
}

Result<std::uint64_t> HistoryFile::used_bytes() {
  std::uint64_t numbers[3] = {};
  const char* const kQuestions[] = {"PRAGMA page_count", "PRAGMA freelist_count",
                                    "PRAGMA page_size"};
  for (std::size_t i = 0; i < 3; ++i) {
    Result<std::string> text = database_.ask(kQuestions[i]);
    if (!text) return failure(text.error());
    numbers[i] = std::strtoull(text->c_str(), nullptr, 10);
  }
  return (numbers[0] - numbers[1]) * numbers[2];
}

Result<void> HistoryFile::shrink() { return database_.run("PRAGMA incremental_vacuum(256)"); }

}  // namespace gpusched::history
