// A thin owner of SQLite's handles: closes what it opened, binds and reads our types, and turns
// result codes into Errors that name the file and the reason. A Database and its statements
// belong to one thread at a time.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gpusched {

// A prepared query. The texts it is given must live until the run or the last next() is over.
class Statement {
 public:
  Statement() = default;

  // Binds the values in order, runs to the end and is ready for the next run.
  template <class... Values>
  Result<void> run(const Values&... values) {
    start(values...);
    return finish();
  }
  // Binds the values in order; rows then come from next().
  template <class... Values>
  void start(const Values&... values) {
    int position = 0;
    (bind(++position, values), ...);
  }
  // True: a row can be read. After the last row, or an error, the statement is ready again.
  Result<bool> next();
  // Ends a query of which not all rows are wanted.
  void stop();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  std::optional<std::int64_t> maybe_integer(int column) const;
  // Valid until the next call of next(), run() or stop().
  std::string_view text(int column) const;

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}

  Result<void> finish();
  void note(int code);
  void bind(int position, std::nullopt_t);
  void bind(int position, std::string_view text);
  void bind_integer(int position, std::int64_t value);
  template <std::integral Number>
  void bind(int position, Number value) {
    bind_integer(position, static_cast<std::int64_t>(value));
  }
  template <class Value>
  void bind(int position, const std::optional<Value>& value) {
    if (value) {
      bind(position, *value);
    } else {
      bind(position, std::nullopt);
    }
  }

  std::unique_ptr<sqlite3_stmt, Finalizer> handle_;
  int bind_failure_ = 0;  // Reported by the step that follows.
};

class Database {
 public:
  Database() = default;

  // REQUIRES: the file exists. `vfs` null: the operating system's.
  static Result<Database> open(const std::string& path, const char* vfs);

  // For statements without rows that are worth no preparing.
  Result<void> run(const char* sql);
  Result<Statement> prepare(const char* sql);
  // The first column of the first row; an empty text if there is no row.
  Result<std::string> ask(const char* sql);

  bool in_transaction() const;
  // Rows changed by the statement run last.
  int changes() const;
  std::int64_t last_row() const;
  // True right after a failure to make written data durable: the data may still be in the file.
  bool sync_failed() const;
  // True right after a failure that lies in the file's content.
  bool damaged() const;
  // Frames behind the last commit that SQLite counts become unreadable: those of a transaction that
  // failed, which the next start would otherwise find whole. REQUIRES: nobody writes meanwhile.
  Result<void> wipe_log_tail();

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Closer> handle_;
};

}  // namespace gpusched
