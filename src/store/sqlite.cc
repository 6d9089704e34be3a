#include "store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>

namespace gpusched {
namespace {

bool no_space(sqlite3* database, int code) {
  if ((code & 0xff) == SQLITE_FULL) return true;
  const int system = sqlite3_system_errno(database);
  return (code & 0xff) == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT);
}

Error error_of(sqlite3* database, int code, const std::string& path) {
  if (no_space(database, code)) {
    return {ErrorCode::kStorageFull, fmt::format("write {}: the disk is full", path)};
  }
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return {ErrorCode::kIo, fmt::format("open {}: this file is not a database", path)};
    case SQLITE_CORRUPT:
      return {ErrorCode::kIo, fmt::format("read {}: the database is damaged ({}); restore a backup",
                                          path, sqlite3_errmsg(database))};
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      return {ErrorCode::kForbidden, fmt::format("open {} for writing: {}; check who owns it and "
                                                 "its directory",
                                                 path, sqlite3_errmsg(database))};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kIo, fmt::format("write {}: another program holds it locked", path)};
    default:
      break;
  }
  const int system = sqlite3_system_errno(database);
  const char* why = (code & 0xff) == SQLITE_IOERR && system != 0 ? std::strerror(system) : "";
  return {ErrorCode::kIo, fmt::format("use {}: {}{}{}", path, sqlite3_errmsg(database),
                                      *why == '\0' ? "" : ": ", why)};
}

Error error_of(sqlite3* database, int code) {
  const char* path = sqlite3_db_filename(database, "main");
  return error_of(database, code, path == nullptr ? "the store" : path);
}

}  // namespace

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::note(int code) {
  if (code != SQLITE_OK && bind_failure_ == 0) bind_failure_ = code;
}

void Statement::bind(int position, std::nullopt_t) {
  note(sqlite3_bind_null(handle_.get(), position));
}

void Statement::bind(int position, std::string_view text) {
  // A null pointer would be bound as NULL, and an empty text is not an absent one.
  const char* bytes = text.data() == nullptr ? "" : text.data();
  note(
      sqlite3_bind_text64(handle_.get(), position, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind_integer(int position, std::int64_t value) {
  note(sqlite3_bind_int64(handle_.get(), position, value));
}

Result<bool> Statement::next() {
  const int code =
      bind_failure_ == 0 ? sqlite3_step(handle_.get()) : std::exchange(bind_failure_, 0);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(handle_.get());
    return false;
  }
  sqlite3* database = sqlite3_db_handle(handle_.get());
  Error error = error_of(database, sqlite3_extended_errcode(database));
  sqlite3_reset(handle_.get());
  return failure(std::move(error));
}

Result<void> Statement::finish() {
  for (;;) {
    Result<bool> row = next();
    if (!row) return failure(row.error());
    if (!*row) return {};
  }
}

void Statement::stop() { sqlite3_reset(handle_.get()); }

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

std::optional<std::int64_t> Statement::maybe_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

std::string_view Statement::text(int column) const {
  const void* bytes = sqlite3_column_blob(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

void Database::Closer::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<Database> Database::open(const std::string& path, const char* vfs) {
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs);
  Database database;
  database.handle_.reset(handle);
  if (code != SQLITE_OK) return failure(error_of(handle, code, path));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, 2000);
  return database;
}

Result<void> Database::run(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return failure(error_of(handle_.get(), sqlite3_extended_errcode(handle_.get())));
}

Result<Statement> Database::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(handle_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code == SQLITE_OK) return Statement(statement);
  return failure(error_of(handle_.get(), sqlite3_extended_errcode(handle_.get())));
}

Result<std::string> Database::ask(const char* sql) {
  Result<Statement> statement = prepare(sql);
  if (!statement) return failure(statement.error());
  Result<bool> row = statement->next();
  if (!row) return failure(row.error());
  return *row ? std::string(statement->text(0)) : std::string();
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
int Database::changes() const { return sqlite3_changes(handle_.get()); }
std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_.get()); }
bool Database::sync_failed() const {
  const int code = sqlite3_extended_errcode(handle_.get());
  return code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC;
}
// The layout of log and index is a fixed part of SQLite's file format (fileformat2.html, walformat.
// html). Written through SQLite's own file layer, so that no lock of ours is lost by a close.
Result<void> Database::wipe_log_tail() {
  constexpr int kIndexBytes = 32768;
  constexpr int kSizeAt = 14, kFramesAt = 16, kSaltAt = 32;
  constexpr int kLogHeader = 32, kFrameHeader = 24, kFrameSaltAt = 8, kSaltBytes = 8;
  sqlite3_file* file = nullptr;
  sqlite3_file* log = nullptr;
  sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  void volatile* shared = nullptr;
  const bool open = file != nullptr && file->pMethods != nullptr && file->pMethods->iVersion >= 2 &&
                    log != nullptr && log->pMethods != nullptr;
  if (!open || file->pMethods->xShmMap(file, 0, kIndexBytes, 0, &shared) != SQLITE_OK ||
      shared == nullptr) {
    return failure(ErrorCode::kIo, "undo a commit: the log is not open");
  }
  // Nobody changes it now: there is one writer, and that is us.
  const auto* index = const_cast<const char*>(static_cast<char volatile*>(shared));
  std::uint16_t size = 0;
  std::uint32_t frames = 0;
  std::memcpy(&size, index + kSizeAt, sizeof size);
  std::memcpy(&frames, index + kFramesAt, sizeof frames);
  const sqlite3_int64 step = kFrameHeader + (size == 1 ? 65536 : sqlite3_int64{size});
  char header[kFrameHeader];
  const char nothing[kFrameHeader] = {};
  for (sqlite3_int64 at = kLogHeader + frames * step;; at += step) {
    // Past the end: less is read than asked for.
    if (log->pMethods->xRead(log, header, kFrameHeader, at) != SQLITE_OK) return {};
    if (std::memcmp(header + kFrameSaltAt, index + kSaltAt, kSaltBytes) != 0) return {};
    if (log->pMethods->xWrite(log, nothing, kFrameHeader, at) != SQLITE_OK) {
      return failure(ErrorCode::kIo, "undo a commit: the log cannot be written");
    }
  }
}
bool Database::damaged() const {
  const int code = sqlite3_errcode(handle_.get()) & 0xff;
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

}  // namespace gpusched
