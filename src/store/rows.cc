#include "store/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "core/access/roles.h"
#include "store/alarm_row.h"
#include "store/kept_change_row.h"
#include "store/message_row.h"
#include "store/past_runs_row.h"
#include "store/work_sum_row.h"
#include "wire/tenant.h"

namespace gpusched {
namespace {

std::string text_of(const Statement& row, int column) { return std::string(row.text(column)); }
std::uint64_t number_at(const Statement& row, int column) {
  return static_cast<std::uint64_t>(row.integer(column));
}
Wall time_at(const Statement& row, int column) { return Wall(Microseconds(row.integer(column))); }
std::int64_t count_of(Wall time) { return time.time_since_epoch().count(); }
std::int64_t count_or_0(const std::optional<Wall>& time) { return time ? count_of(*time) : 0; }

// kSelect gives all rows by key; read() is nullopt for one that makes no sense and is forgotten.
template <class Row>
struct RowCodec;

template <>
struct RowCodec<Submission> {
  static constexpr const char* kPut =
      "INSERT OR REPLACE INTO submissions(id, tenant, key, fingerprint,"
      " first_job, jobs, open) VALUES(?, ?, ?, ?, ?, ?, ?)";
  static constexpr const char* kRemove = "DELETE FROM submissions WHERE id = ?";
  static constexpr const char* kSelect =
      "SELECT id, tenant, key, fingerprint, first_job, jobs FROM submissions ORDER BY id";
  static Result<void> put(Statement& put, const Submission& row) {
    return put.run(row.id, row.tenant, row.key, row.fingerprint, number_of(row.first), row.count,
                   row.open);
  }
  static Result<std::optional<Submission>> read(const Statement& row) {
    return Submission{.id = number_at(row, 0),
                      .tenant = text_of(row, 1),
                      .key = text_of(row, 2),
                      .fingerprint = text_of(row, 3),
                      .first = JobId{number_at(row, 4)},
                      .count = number_at(row, 5),
                      .open = false};
  }
};

template <>
struct RowCodec<Group> {
  static constexpr const char* kPut =
      "INSERT INTO groups(name, max_running, paused) VALUES(?, ?, ?)"
      " ON CONFLICT(name) DO UPDATE SET max_running = excluded.max_running,"
      " paused = excluded.paused";
  static constexpr const char* kRemove = "DELETE FROM groups WHERE name = ?";
  static constexpr const char* kSelect =
      "SELECT name, max_running, paused FROM groups ORDER BY name";
  static Result<void> put(Statement& put, const Group& row) {
    return put.run(row.name, row.limit, row.paused ? 1 : 0);
  }
  static Result<std::optional<Group>> read(const Statement& row) {
    return Group{.name = text_of(row, 0),
                 .limit = static_cast<int>(row.integer(1)),
                 .paused = row.integer(2) != 0};
  }
};

// A newer version's word is taken for the safest that we know.
DrainEnd drain_end(std::int64_t number) {
  if (number == static_cast<int>(DrainEnd::kSeen)) return DrainEnd::kSeen;
  if (number == static_cast<int>(DrainEnd::kCooler)) return DrainEnd::kCooler;
  return DrainEnd::kByHand;
}

template <>
struct RowCodec<Drain> {
  static constexpr const char* kPut =
      "INSERT OR REPLACE INTO drains(uuid, since, drained_by, reason, until_seen)"
      " VALUES(?, ?, ?, ?, ?)";
  static constexpr const char* kRemove = "DELETE FROM drains WHERE uuid = ?";
  static constexpr const char* kSelect =
      "SELECT uuid, since, drained_by, reason, until_seen FROM drains ORDER BY uuid";
  static Result<void> put(Statement& put, const Drain& row) {
    return put.run(row.uuid, count_of(row.since), row.by, row.reason, static_cast<int>(row.ends));
  }
  static Result<std::optional<Drain>> read(const Statement& row) {
    return Drain{.uuid = text_of(row, 0),
                 .since = time_at(row, 1),
                 .by = text_of(row, 2),
                 .reason = text_of(row, 3),
                 .ends = drain_end(row.integer(4))};
  }
};

MoveRate rate_from(const Statement& row, int column) {
  return {.bytes_per_s = number_at(row, column),
          .fixed = Microseconds(row.integer(column + 1)),
          .moves = number_at(row, column + 2)};
}

template <>
struct RowCodec<MoveRates> {
  static constexpr const char* kPut =
      "INSERT OR REPLACE INTO move_rates(uuid, out_bytes_per_s, out_fixed_us, out_moves,"
      " back_bytes_per_s, back_fixed_us, back_moves) VALUES(?, ?, ?, ?, ?, ?, ?)";
  static constexpr const char* kRemove = "DELETE FROM move_rates WHERE uuid = ?";
  static constexpr const char* kSelect =
      "SELECT uuid, out_bytes_per_s, out_fixed_us, out_moves, back_bytes_per_s, back_fixed_us,"
      " back_moves FROM move_rates ORDER BY uuid";
  static Result<void> put(Statement& put, const MoveRates& row) {
    return put.run(row.uuid, row.out.bytes_per_s, std::int64_t{row.out.fixed.count()},
                   row.out.moves, row.back.bytes_per_s, std::int64_t{row.back.fixed.count()},
                   row.back.moves);
  }
  static Result<std::optional<MoveRates>> read(const Statement& row) {
    return MoveRates{.uuid = text_of(row, 0), .out = rate_from(row, 1), .back = rate_from(row, 4)};
  }
};

template <>
struct RowCodec<Tenant> {
  static constexpr const char* kPut =
      "INSERT OR REPLACE INTO tenants(name, rule, usage) VALUES(?, ?, ?)";
  static constexpr const char* kRemove = "DELETE FROM tenants WHERE name = ?";
  static constexpr const char* kSelect = "SELECT name, rule, usage FROM tenants ORDER BY name";
  static Result<void> put(Statement& put, const Tenant& row) {
    return put.run(row.name, tenant_rule_to_json(row.rule), tenant_usage_to_json(row.usage));
  }
  static Result<std::optional<Tenant>> read(const Statement& row) {
    std::string name = text_of(row, 0);
    Result<TenantRule> rule = tenant_rule_from_json(row.text(1));
    Result<TenantUsage> usage = tenant_usage_from_json(row.text(2));
    if (!rule || !usage) {
      return failure(ErrorCode::kIo, fmt::format("read tenant {} from the store: the database is "
                                                 "damaged; restore a backup",
                                                 name));
    }
    return Tenant{std::move(name), std::move(*rule), std::move(*usage)};
  }
};

template <>
struct RowCodec<Reservation> {
  static constexpr const char* kPut =
      "INSERT OR REPLACE INTO bookings(id, name, user_name, tenant, cards, starts_at, ends_at,"
      " made_by) VALUES(?, ?, ?, ?, ?, ?, ?, ?)";
  static constexpr const char* kRemove = "DELETE FROM bookings WHERE id = ?";
  static constexpr const char* kSelect =
      "SELECT id, name, user_name, tenant, cards, starts_at, ends_at, made_by"
      " FROM bookings ORDER BY id";
  static Result<void> put(Statement& put, const Reservation& row) {
    std::string cards;
    for (const std::string& uuid : row.cards) cards += (cards.empty() ? "" : " ") + uuid;
    return put.run(row.id, row.name, row.user, row.tenant, cards, count_of(row.from),
                   count_of(row.until), row.by);
  }
  static Result<std::optional<Reservation>> read(const Statement& row) {
    const std::vector<std::string_view> cards = split_nonempty(row.text(4), ' ');
    return Reservation{.id = number_at(row, 0),
                       .name = text_of(row, 1),
                       .user = text_of(row, 2),
                       .tenant = text_of(row, 3),
                       .cards = {cards.begin(), cards.end()},
                       .from = time_at(row, 5),
                       .until = time_at(row, 6),
                       .by = text_of(row, 7)};
  }
};

template <>
struct RowCodec<Token> {
  static constexpr const char* kPut =
      "INSERT OR REPLACE INTO tokens(id, hash, uid, user_name, role, tenant, name, made_by,"
      " made_at, expires_at, used_at) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  static constexpr const char* kRemove = "DELETE FROM tokens WHERE id = ?";
  static constexpr const char* kSelect =
      "SELECT id, hash, uid, user_name, role, tenant, name, made_by, made_at, expires_at, used_at"
      " FROM tokens ORDER BY id";
  static Result<void> put(Statement& put, const Token& row) {
    return put.run(row.id, row.hash, row.uid, row.user, std::string(role_name(row.role)),
                   row.tenant, row.name, row.by, count_of(row.made_at), count_or_0(row.expires_at),
                   count_or_0(row.used_at));
  }
  static Result<std::optional<Token>> read(const Statement& row) {
    Token token{.id = text_of(row, 0),
                .hash = text_of(row, 1),
                .uid = static_cast<std::uint32_t>(number_at(row, 2)),
                .user = text_of(row, 3),
                // A role of a newer daemon: the least.
                .role = role_named(text_of(row, 4)).value_or(Role::kViewer),
                .tenant = text_of(row, 5),
                .name = text_of(row, 6),
                .by = text_of(row, 7),
                .made_at = time_at(row, 8)};
    if (number_at(row, 9) != 0) token.expires_at = time_at(row, 9);
    if (number_at(row, 10) != 0) token.used_at = time_at(row, 10);
    return token;
  }
};

template <>
struct RowCodec<PastRuns> {
  static constexpr const char* kPut = kPutPastRuns;
  static constexpr const char* kRemove = kDeletePastRuns;
  static constexpr const char* kSelect = kSelectPastRuns;
  static Result<void> put(Statement& put, const PastRuns& row) { return put_past_runs(put, row); }
  // Only history: nobody's job is lost with a row that makes no sense.
  static Result<std::optional<PastRuns>> read(const Statement& row) {
    return read_past_runs_row(row);
  }
};

template <>
struct RowCodec<KeptChange> {
  static constexpr const char* kPut = kPutKeptChange;
  static constexpr const char* kRemove = kDeleteKeptChange;
  static constexpr const char* kSelect = kSelectKeptChanges;
  static Result<void> put(Statement& put, const KeptChange& row) {
    return put_kept_change(put, row);
  }
  static Result<std::optional<KeptChange>> read(const Statement& row) {
    return read_kept_change(row);
  }
};

template <>
struct RowCodec<Message> {
  static constexpr const char* kPut = kPutMessage;
  static constexpr const char* kRemove = kDeleteMessage;
  static constexpr const char* kSelect = kSelectMessages;
  static Result<void> put(Statement& put, const Message& row) { return put_message(put, row); }
  static Result<std::optional<Message>> read(const Statement& row) { return read_message(row); }
};

template <>
struct RowCodec<WorkSum> {
  static constexpr const char* kPut = kPutWorkSum;
  static constexpr const char* kRemove = kDeleteWorkSum;
  static constexpr const char* kSelect = kSelectWorkSums;
  static Result<void> put(Statement& put, const WorkSum& row) { return put_work_sum(put, row); }
  static Result<std::optional<WorkSum>> read(const Statement& row) { return read_work_sum(row); }
};

template <>
struct RowCodec<Alarm> {
  static constexpr const char* kPut = kPutAlarm;
  static constexpr const char* kRemove = kDeleteAlarm;
  static constexpr const char* kSelect = kSelectAlarms;
  static Result<void> put(Statement& put, const Alarm& row) { return put_alarm(put, row); }
  static Result<std::optional<Alarm>> read(const Statement& row) { return read_alarm(row); }
};

template <>
struct RowCodec<Silence> {
  static constexpr const char* kPut = kPutSilence;
  static constexpr const char* kRemove = kDeleteSilence;
  static constexpr const char* kSelect = kSelectSilences;
  static Result<void> put(Statement& put, const Silence& row) { return put_silence(put, row); }
  static Result<std::optional<Silence>> read(const Statement& row) { return read_silence(row); }
};

template <class Key>
Result<void> remove_row(Statement& remove, const Key& key) {
  return remove.run(key);
}
Result<void> remove_row(Statement& remove, const PastRunsKey& key) {
  return delete_past_runs(remove, key);
}
Result<void> remove_row(Statement& remove, const KeptChangeKey& key) {
  return delete_kept_change(remove, key);
}
Result<void> remove_row(Statement& remove, const WorkKey& key) {
  return delete_work_sum(remove, key);
}

Result<void> remove_row(Statement& remove, const AlarmKey& key) {
  return remove.run(key.rule, key.subject);
}

template <class Row>
Result<void> read_table(Database& database, std::vector<Row>& rows) {
  Result<Statement> select = database.prepare(RowCodec<Row>::kSelect);
  if (!select) return failure(select.error());
  for (;;) {
    const Result<bool> more = select->next();
    if (!more) return failure(more.error());
    if (!*more) return {};
    Result<std::optional<Row>> row = RowCodec<Row>::read(*select);
    if (!row) return failure(row.error());
    if (*row) rows.push_back(std::move(**row));
  }
}

template <class Row>
Result<void> write_table(RowStatements<Row>& statements, const Delta<Row>& delta) {
  for (const Row& row : delta.put) {
    if (Result<void> done = RowCodec<Row>::put(statements.put, row); !done) return done;
  }
  for (const RowKey<Row>& key : delta.removed) {
    if (Result<void> done = remove_row(statements.remove, key); !done) return done;
  }
  return {};
}

}  // namespace

Result<void> prepare_rows(Database& database, Durable<RowStatements>& statements) {
  Result<void> done;
  const auto prepare = [&](const char* sql, Statement& statement) {
    if (!done) return;
    Result<Statement> prepared = database.prepare(sql);
    if (!prepared) {
      done = failure(prepared.error());
      return;
    }
    statement = std::move(*prepared);
  };
  statements.for_each([&]<class Row>(RowStatements<Row>& each) {
    if constexpr (!std::is_same_v<Row, Job>) {
      prepare(RowCodec<Row>::kPut, each.put);
      prepare(RowCodec<Row>::kRemove, each.remove);
    }
  });
  return done;
}

Result<void> write_rows(Durable<RowStatements>& statements, const Commit& commit) {
  Result<void> done;
  for_each_pair(commit, statements,
                [&]<class Row>(const Delta<Row>& delta, RowStatements<Row>& each) {
                  if constexpr (!std::is_same_v<Row, Job>) {
                    if (done) done = write_table(each, delta);
                  }
                });
  return done;
}

Result<void> read_rows(Database& database, StoreImage& image) {
  Result<void> done;
  image.for_each([&]<class Row>(std::vector<Row>& rows) {
    if constexpr (!std::is_same_v<Row, Job>) {
      if (done) done = read_table(database, rows);
    }
  });
  return done;
}

}  // namespace gpusched
