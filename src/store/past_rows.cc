#include "store/past_rows.h"

#include <algorithm>
#include <utility>

namespace gpusched {
namespace {

// Removed with one commit, beside as many as it adds.
constexpr std::size_t kSpansPrunedAtOnce = 100;
constexpr std::int64_t kNobody = -1;
// Drains and alarms are few; a reader gets no more of them.
constexpr int kOthersMost = 2000;

constexpr const char* kColumns =
    "kind, uid, card, starts_at, ends_at, job, attempt, submitted_at, priority, vram_bytes, whole,"
    " for_job, severity, state, cause, mechanism, user_name, tenant, name, shown_name, subject,"
    " what";
// From, until, card, user, and whether it is also about jobs without cards.
constexpr const char* kOfJobs =
    " FROM past WHERE ends_at >= ?1 AND starts_at <= ?2 AND kind < 4"
    " AND (?3 IS NULL OR card = ?3) AND (?4 IS NULL OR uid = ?4) AND (?5 OR card IS NOT NULL)";
constexpr const char* kOthers =
    " FROM past WHERE ends_at >= ?1 AND starts_at <= ?2 AND kind >= 4"
    " AND (?3 IS NULL OR card = ?3)";
constexpr const char* kNewestFirst = " ORDER BY ends_at DESC, id DESC LIMIT ";
static_assert(static_cast<int>(PastKind::kDrain) == 4, "the queries above say so");

std::int64_t us(Wall at) { return at.time_since_epoch().count(); }
Wall wall(std::int64_t us) { return Wall{Microseconds{us}}; }

PastSpan span_at(const Statement& row) {
  const auto text = [&row](int column) { return std::string(row.text(column)); };
  PastSpan span;
  span.kind = static_cast<PastKind>(
      std::clamp<std::int64_t>(row.integer(0), 0, static_cast<int>(PastKind::kAlarm)));
  if (row.integer(1) != kNobody) span.owner.uid = static_cast<std::uint32_t>(row.integer(1));
  if (const auto card = row.maybe_integer(2)) span.card = static_cast<CardNumber>(*card);
  span.from = wall(row.integer(3));
  span.until = wall(row.integer(4));
  span.attempt = {static_cast<JobId>(row.integer(5)), static_cast<int>(row.integer(6))};
  span.submitted_at = wall(row.integer(7));
  span.priority = static_cast<int>(row.integer(8));
  if (const auto bytes = row.maybe_integer(9)) span.vram_bytes = static_cast<std::uint64_t>(*bytes);
  span.whole = row.integer(10) != 0;
  span.for_job = static_cast<JobId>(row.integer(11));
  span.severity = static_cast<Severity>(
      std::clamp<std::int64_t>(row.integer(12), 0, static_cast<int>(Severity::kCritical)));
  span.state = text(13);
  span.cause = text(14);
  span.mechanism = text(15);
  span.owner.user = text(16);
  span.tenant = text(17);
  span.name = text(18);
  span.shown_name = text(19);
  span.subject = text(20);
  span.what = text(21);
  return span;
}

Result<void> prepare_all(Database& database,
                         std::initializer_list<std::pair<Statement*, std::string>> wanted) {
  for (const auto& [statement, sql] : wanted) {
    Result<Statement> prepared = database.prepare(sql.c_str());
    if (!prepared) return failure(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

Result<void> take_rows(Statement& select, std::vector<PastSpan>& spans) {
  for (;;) {
    const Result<bool> row = select.next();
    if (!row) return failure(row.error());
    if (!*row) return {};
    spans.push_back(span_at(select));
  }
}

}  // namespace

Result<void> PastRows::prepare(Database& database) {
  database_ = &database;
  if (auto done = prepare_all(
          database,
          {{&insert_, std::string("INSERT INTO past(") + kColumns +
                          ") VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                          " ?)"},
           {&oldest_, "SELECT id, uid, ends_at FROM past ORDER BY ends_at LIMIT 1"},
           {&oldest_of_user_,
            "SELECT id, uid, ends_at FROM past WHERE uid = ? ORDER BY ends_at LIMIT 1"},
           {&delete_, "DELETE FROM past WHERE id = ?"},
           {&put_since_, "INSERT OR REPLACE INTO meta(name, value) VALUES('past_since', ?)"}});
      !done) {
    return done;
  }
  Result<Statement> since =
      database.prepare("SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'past_since'");
  if (!since) return failure(since.error());
  const Result<bool> known = since->next();
  if (!known) return failure(known.error());
  if (*known) known_.since = wall(since->integer(0));
  Result<Statement> count = database.prepare("SELECT uid, count(*) FROM past GROUP BY uid");
  if (!count) return failure(count.error());
  for (;;) {
    const Result<bool> row = count->next();
    if (!row) return failure(row.error());
    if (!*row) break;
    known_.by_user[count->integer(0)] = static_cast<std::size_t>(count->integer(1));
  }
  committed_ = known_;
  return {};
}

Result<void> PastRows::add(const PastSpan& span) {
  const std::int64_t uid = is_of_job(span.kind) ? std::int64_t{span.owner.uid} : kNobody;
  std::optional<int> card;
  if (span.card) card = number_of(*span.card);
  ++known_.by_user[uid];
  return insert_.run(static_cast<int>(span.kind), uid, card, us(span.from), us(span.until),
                     number_of(span.attempt.job), span.attempt.number, us(span.submitted_at),
                     span.priority, span.vram_bytes, span.whole, number_of(span.for_job),
                     static_cast<int>(span.severity), span.state, span.cause, span.mechanism,
                     span.owner.user, span.tenant, span.name, span.shown_name, span.subject,
                     span.what);
}

Result<void> PastRows::write(const Commit& commit) {
  const std::optional<Wall> before = known_.since;
  if (!known_.since) known_.since = commit.clock;
  for (const PastSpan& span : commit.past) {
    if (Result<void> done = add(span); !done) return done;
  }
  if (!commit.past.empty()) {
    if (auto done = prune(commit.past_bounds, kSpansPrunedAtOnce + commit.past.size()); !done) {
      return done;
    }
  }
  if (known_.since == before) return {};
  return put_since_.run(us(*known_.since));
}

Result<void> PastRows::remove(std::int64_t id, std::int64_t uid, Wall ended) {
  if (Result<void> done = delete_.run(id); !done) return done;
  known_.since = std::max(known_.since.value_or(ended), ended);
  const auto count = known_.by_user.find(uid);
  if (count != known_.by_user.end() && --count->second == 0) known_.by_user.erase(count);
  return {};
}

Result<bool> PastRows::remove_oldest_before(Wall since) {
  oldest_.start();
  const Result<bool> row = oldest_.next();
  if (!row || !*row) return row;
  const std::int64_t id = oldest_.integer(0), uid = oldest_.integer(1);
  const Wall ended = wall(oldest_.integer(2));
  oldest_.stop();
  if (ended >= since) return false;
  if (Result<void> done = remove(id, uid, ended); !done) return failure(done.error());
  return true;
}

Result<void> PastRows::remove_of_most(std::size_t surplus) {
  for (; surplus > 0 && !known_.by_user.empty(); --surplus) {
    const auto most =
        std::ranges::max_element(known_.by_user, {}, [](const auto& one) { return one.second; });
    oldest_of_user_.start(most->first);
    const Result<bool> row = oldest_of_user_.next();
    if (!row) return failure(row.error());
    if (!*row) return {};
    const std::int64_t id = oldest_of_user_.integer(0), uid = oldest_of_user_.integer(1);
    const Wall ended = wall(oldest_of_user_.integer(2));
    oldest_of_user_.stop();
    if (Result<void> done = remove(id, uid, ended); !done) return done;
  }
  return {};
}

Result<void> PastRows::prune(const PastBounds& bounds, std::size_t most) {
  std::size_t count = 0;
  for (const auto& [uid, rows] : known_.by_user) count += rows;
  const std::size_t surplus = std::min(count - std::min(count, bounds.most), most);
  if (Result<void> done = remove_of_most(surplus); !done) return done;
  for (std::size_t looked = surplus; looked < most; ++looked) {
    const Result<bool> old = remove_oldest_before(bounds.since);
    if (!old) return failure(old.error());
    if (!*old) break;
  }
  return {};
}

void PastRows::end_transaction(bool committed) {
  if (committed) {
    committed_ = known_;
  } else {
    known_ = committed_;
  }
}

Result<PastReader> PastReader::open(const std::string& path, const char* vfs) {
  PastReader reader;
  Result<Database> database = Database::open(path, vfs);
  if (!database) return failure(database.error());
  reader.database_ = std::move(*database);
  const std::string select = std::string("SELECT ") + kColumns;
  if (auto done = prepare_all(
          reader.database_,
          {{&reader.of_jobs_, select + kOfJobs + kNewestFirst + "?6"},
           {&reader.others_, select + kOthers + kNewestFirst + std::to_string(kOthersMost)},
           {&reader.count_, std::string("SELECT count(*)") + kOfJobs},
           {&reader.since_, "SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'past_since'"}});
      !done) {
    return failure(done.error());
  }
  return reader;
}

Result<Past> PastReader::read(const PastPart& part) {
  // One moment for all of it: commits go on in between.
  if (Result<void> begun = database_.run("BEGIN"); !begun) return failure(begun.error());
  const auto read = [&]() -> Result<Past> {
    Past past;
    std::optional<int> card;
    if (part.card) card = number_of(*part.card);
    since_.start();
    const Result<bool> since = since_.next();
    if (!since) return failure(since.error());
    if (*since) past.known_since = wall(since_.integer(0));
    since_.stop();
    of_jobs_.start(us(part.from), us(part.until), card, part.uid, part.without_cards, part.most);
    if (auto done = take_rows(of_jobs_, past.spans); !done) return failure(done.error());
    if (past.spans.size() == part.most) {
      count_.start(us(part.from), us(part.until), card, part.uid, part.without_cards);
      const Result<bool> row = count_.next();
      if (!row) return failure(row.error());
      past.left_out = static_cast<std::uint64_t>(count_.integer(0)) - past.spans.size();
      count_.stop();
    }
    others_.start(us(part.from), us(part.until), card);
    if (auto done = take_rows(others_, past.spans); !done) return failure(done.error());
    return past;
  };
  Result<Past> past = read();
  if (Result<void> ended = database_.run("COMMIT"); !ended && past) return failure(ended.error());
  return past;
}

}  // namespace gpusched
