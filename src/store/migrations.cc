#include "store/migrations.h"

#include <fmt/format.h>

#include <string>

namespace gpusched {
namespace {

// Times are microseconds since 1970. States, causes and kinds are words, so that the file can be
// read with the sqlite3 tool. docs/storage-database.md explains every table.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE meta(
  name TEXT PRIMARY KEY,
  value NOT NULL
) WITHOUT ROWID;

CREATE TABLE environments(
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  content BLOB NOT NULL
);

CREATE TABLE specs(
  id INTEGER PRIMARY KEY,
  environment INTEGER REFERENCES environments(id),
  spec TEXT NOT NULL
);
CREATE INDEX specs_by_environment ON specs(environment);

CREATE TABLE jobs(
  id INTEGER PRIMARY KEY,
  spec INTEGER NOT NULL REFERENCES specs(id),
  task_array INTEGER,
  task_index INTEGER,
  task_values TEXT,
  uid INTEGER NOT NULL,
  gid INTEGER NOT NULL,
  user_name TEXT NOT NULL,
  tenant TEXT NOT NULL,
  submitted_at INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  state TEXT NOT NULL,
  hold TEXT,
  stopping TEXT,
  retry_at INTEGER,
  decided_at INTEGER,
  started_at INTEGER,
  ended_at INTEGER,
  granted TEXT,
  cause TEXT,
  exit_code INTEGER,
  signal INTEGER,
  message TEXT,
  user_cpu_us INTEGER,
  system_cpu_us INTEGER,
  max_rss_bytes INTEGER
);
CREATE INDEX jobs_by_spec ON jobs(spec);

CREATE TABLE trail(
  job INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  at INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY(job, sequence)
) WITHOUT ROWID;

CREATE TABLE groups(
  name TEXT PRIMARY KEY,
  max_running INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE submissions(
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  first_job INTEGER NOT NULL,
  jobs INTEGER NOT NULL,
  open INTEGER NOT NULL
);
)sql";

// Cards taken out of service, and what attempts used of theirs (a JSON object; null: no card).
constexpr const char* kVersion2 = R"sql(
ALTER TABLE jobs ADD COLUMN gpu_usage TEXT;

CREATE TABLE drains(
  uuid TEXT PRIMARY KEY,
  since INTEGER NOT NULL,
  drained_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  until_seen INTEGER NOT NULL
) WITHOUT ROWID;
)sql";

// Tenants: what was set at run time and what they have used, a JSON object each.
constexpr const char* kTenantsStep = R"sql(
CREATE TABLE tenants(
  name TEXT PRIMARY KEY,
  rule TEXT NOT NULL,
  usage TEXT NOT NULL
) WITHOUT ROWID;
)sql";

// Advance reservations; `cards` are UUIDs separated by blanks.
constexpr const char* kReservations = R"sql(
CREATE TABLE bookings(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  user_name TEXT NOT NULL,
  tenant TEXT NOT NULL,
  cards TEXT NOT NULL,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  made_by TEXT NOT NULL
);
)sql";

// What past runs of a signature used, and what attempts hold at least after they ran out of memory.
constexpr const char* kPastRuns = R"sql(
ALTER TABLE jobs ADD COLUMN vram_floor INTEGER NOT NULL DEFAULT 0;

CREATE TABLE past_runs(
  signature INTEGER NOT NULL,
  model TEXT NOT NULL,
  tenant TEXT NOT NULL,
  command TEXT NOT NULL,
  recorded INTEGER NOT NULL,
  out_of_memory INTEGER NOT NULL,
  last INTEGER NOT NULL,
  runs TEXT NOT NULL,
  PRIMARY KEY(signature, model)
) WITHOUT ROWID;
)sql";

// Jobs that are moved aside, and programs that a driver will not move.
constexpr const char* kMovesStep = R"sql(
ALTER TABLE jobs ADD COLUMN moves INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN aside TEXT;
ALTER TABLE past_runs ADD COLUMN refuses_moves INTEGER NOT NULL DEFAULT 0;
)sql";

// Jobs that save themselves: which attempt did, and how often in a row right after its start.
constexpr const char* kSaves = R"sql(
ALTER TABLE jobs ADD COLUMN saved_attempt INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN quick_saves INTEGER NOT NULL DEFAULT 0;
)sql";

// How fast each card's memory was moved, out and back.
constexpr const char* kMoveRatesStep = R"sql(
CREATE TABLE move_rates(
  uuid TEXT PRIMARY KEY,
  out_bytes_per_s INTEGER NOT NULL,
  out_fixed_us INTEGER NOT NULL,
  out_moves INTEGER NOT NULL,
  back_bytes_per_s INTEGER NOT NULL,
  back_fixed_us INTEGER NOT NULL,
  back_moves INTEGER NOT NULL
) WITHOUT ROWID;
)sql";

constexpr const char* kPausedGroups = R"sql(
ALTER TABLE groups ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
)sql";

// Jobs that took another one's place in the queue.
constexpr const char* kPlaces = R"sql(
ALTER TABLE jobs ADD COLUMN queue_place TEXT;
)sql";

// What an ended job had last said of itself.
constexpr const char* kSaidStep = R"sql(
ALTER TABLE jobs ADD COLUMN said TEXT;
)sql";

// Tokens, by their hashes. No time is 0.
constexpr const char* kTokensStep = R"sql(
CREATE TABLE tokens(
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  uid INTEGER NOT NULL,
  user_name TEXT NOT NULL,
  role TEXT NOT NULL,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  made_by TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL
) WITHOUT ROWID;
)sql";

// Changes with their keys and answers. Who changed what: `kind` has a bound each: 0 changes, 1
// refusals, 2 leases. No uid is -1.
constexpr const char* kAuditStep = R"sql(
CREATE TABLE audit(
  kind INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  at INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  user_name TEXT NOT NULL,
  role TEXT NOT NULL,
  proof TEXT NOT NULL,
  pid INTEGER NOT NULL,
  token TEXT NOT NULL,
  address TEXT NOT NULL,
  operation TEXT NOT NULL,
  target TEXT NOT NULL,
  summary TEXT NOT NULL,
  result TEXT NOT NULL,
  code TEXT NOT NULL,
  key TEXT NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY(kind, sequence)
) WITHOUT ROWID;

CREATE TABLE kept_changes(
  uid INTEGER NOT NULL,
  role TEXT NOT NULL,
  key TEXT NOT NULL,
  digest TEXT NOT NULL,
  at INTEGER NOT NULL,
  over INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  token TEXT NOT NULL,
  answer TEXT,
  PRIMARY KEY(uid, role, key)
) WITHOUT ROWID;
)sql";

// Of too many entries those of the user who has most go: they are found by user.
constexpr const char* kAuditByUserStep = R"sql(
CREATE INDEX audit_by_user ON audit(kind, uid);
)sql";

constexpr const char* kMessagesStep = R"sql(
CREATE TABLE messages(
  id INTEGER PRIMARY KEY,
  receiver TEXT NOT NULL,
  address TEXT NOT NULL,
  thread TEXT NOT NULL,
  grouped_by TEXT NOT NULL,
  severity INTEGER NOT NULL,
  resolved INTEGER NOT NULL,
  rule TEXT NOT NULL,
  subject TEXT NOT NULL,
  what TEXT NOT NULL,
  whom TEXT NOT NULL,
  since INTEGER,
  advice TEXT NOT NULL,
  job INTEGER,
  card INTEGER,
  attachment TEXT NOT NULL,
  times INTEGER NOT NULL,
  others TEXT NOT NULL,
  at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  due INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  error TEXT NOT NULL
);
)sql";

// What was done on a day, or in a month: figures in one text (store/work_sum_row.h).
constexpr const char* kWorkStep = R"sql(
CREATE TABLE work(
  month INTEGER NOT NULL,
  day INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  user_name TEXT NOT NULL,
  project TEXT NOT NULL,
  card INTEGER NOT NULL,
  model TEXT NOT NULL,
  name TEXT NOT NULL,
  program TEXT NOT NULL,
  sums TEXT NOT NULL,
  PRIMARY KEY(month, day, tenant, user_name, project, card, model, name, program)
) WITHOUT ROWID;
)sql";

constexpr const char* kAlarmsStep = R"sql(
CREATE TABLE alarms(
  rule TEXT NOT NULL,
  subject TEXT NOT NULL,
  severity TEXT NOT NULL,
  what TEXT NOT NULL,
  whom TEXT NOT NULL,
  advice TEXT NOT NULL,
  since INTEGER NOT NULL,
  value TEXT,
  told_at INTEGER NOT NULL,
  quiet TEXT NOT NULL,
  told_to TEXT NOT NULL,
  card INTEGER,
  job INTEGER,
  user_name TEXT NOT NULL,
  tenant TEXT NOT NULL,
  PRIMARY KEY(rule, subject)
) WITHOUT ROWID;

CREATE TABLE silences(
  id INTEGER PRIMARY KEY,
  rule TEXT NOT NULL,
  subject TEXT NOT NULL,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  made_by TEXT NOT NULL,
  reason TEXT NOT NULL
);
)sql";

// What happened on the cards. A kind is a PastKind; without a card it is null. Of what belongs to
// no user, the uid is -1.
constexpr const char* kPastStep = R"sql(
CREATE TABLE past(
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  card INTEGER,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  job INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  vram_bytes INTEGER,
  whole INTEGER NOT NULL,
  for_job INTEGER NOT NULL,
  severity INTEGER NOT NULL,
  state TEXT NOT NULL,
  cause TEXT NOT NULL,
  mechanism TEXT NOT NULL,
  user_name TEXT NOT NULL,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  shown_name TEXT NOT NULL,
  subject TEXT NOT NULL,
  what TEXT NOT NULL
);
CREATE INDEX past_by_end ON past(ends_at);
CREATE INDEX past_by_user ON past(uid, ends_at);
)sql";

constexpr const char* kSteps[] = {
    kVersion1,  kVersion2,        kTenantsStep,  kReservations, kPastRuns,   kMovesStep,
    kSaves,     kMoveRatesStep,   kPausedGroups, kPlaces,       kSaidStep,   kTokensStep,
    kAuditStep, kAuditByUserStep, kMessagesStep, kWorkStep,     kAlarmsStep, kPastStep};

Result<int> number_asked(Database& database, const char* pragma) {
  Result<std::string> text = database.ask(pragma);
  if (!text) return failure(text.error());
  return std::atoi(text->c_str());
}

Result<void> take_steps(Database& database, std::span<const char* const> steps, int from) {
  for (std::size_t step = static_cast<std::size_t>(from); step < steps.size(); ++step) {
    if (Result<void> done = database.run(steps[step]); !done) return done;
  }
  const std::string numbers = fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                          kApplicationId, steps.size());
  return database.run(numbers.c_str());
}

}  // namespace

std::span<const char* const> schema_steps() { return kSteps; }

Result<void> migrate(Database& database, const std::string& path,
                     std::span<const char* const> steps) {
  const int newest = static_cast<int>(steps.size());
  Result<int> version = number_asked(database, "PRAGMA user_version");
  if (!version) return failure(version.error());
  Result<int> application = number_asked(database, "PRAGMA application_id");
  if (!application) return failure(application.error());
  Result<int> tables = number_asked(database, "SELECT count(*) FROM sqlite_schema");
  if (!tables) return failure(tables.error());

  const bool fresh = *version == 0 && *application == 0 && *tables == 0;
  if (!fresh && *application != kApplicationId) {
    return failure(ErrorCode::kIo,
                   fmt::format("open {}: this database was not made by gpusched", path));
  }
  if (*version > newest) {
    return failure(ErrorCode::kUnsupported,
                   fmt::format("open {}: made by a newer gpusched (schema {}, this one knows {}): "
                               "upgrade gpusched, or restore a backup",
                               path, *version, newest));
  }
  if (*version == newest) return {};

  if (Result<void> begun = database.run("BEGIN IMMEDIATE"); !begun) return begun;
  Result<void> done = take_steps(database, steps, *version);
  if (done) done = database.run("COMMIT");
  // What failed is what the caller must hear; a failing rollback would only repeat it.
  if (!done && database.in_transaction()) (void)database.run("ROLLBACK");
  return done;
}

}  // namespace gpusched
