// What the programs say while they run: one line per fact, a sentence and key=value fields, as
// plain text or as JSON. Goes to stderr (with journald's level prefixes when journald reads it)
// or to a file that is rotated by size. One sink per process; safe to use from every thread.
// A function logs an error or returns it, never both.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/result.h"
#include "core/model/ids.h"

namespace gpusched {

enum class LogLevel { kError, kWarning, kInfo, kDebug };
const char* log_level_name(LogLevel level);  // error, warning, info, debug
std::optional<LogLevel> log_level_named(std::string_view name);

enum class LogFormat { kPlain, kJson };

struct LogOptions {
  LogLevel level = LogLevel::kInfo;
  LogFormat format = LogFormat::kPlain;
  std::string file;                          // Empty: stderr.
  std::uint64_t rotate_bytes = 16ULL << 20;  // 0: never rotated here; see reopen_log().
  int rotate_keep = 4;                       // FILE.1 is the newest of the old ones.
};

// Nothing before this call is lost: it goes to stderr at level info.
Result<void> open_log(const LogOptions& options);
// After a program like logrotate has moved the file away: opens it anew (SIGHUP).
Result<void> reopen_log();
void set_log_level(LogLevel level);
LogLevel log_level();
inline bool log_enabled(LogLevel level) { return level <= log_level(); }

// A borrowed value: fields live as long as the call.
struct LogField {
  using Value = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;
  std::string_view key;
  Value value;

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(std::string_view(v)) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(std::string_view(v)) {}
  LogField(std::string_view k, bool v) : key(k), value(v) {}
  LogField(std::string_view k, double v) : key(k), value(v) {}
  LogField(std::string_view k, JobId v) : key(k), value(number_of(v)) {}
  template <class T>
  requires std::is_integral_v<T> LogField(std::string_view k, T v) : key(k), value(widened(v)) {}

 private:
  template <class T>
  static Value widened(T v) {
    if constexpr (std::is_signed_v<T>) return static_cast<std::int64_t>(v);
    return static_cast<std::uint64_t>(v);
  }
};
using LogFields = std::initializer_list<LogField>;

void log(LogLevel level, std::string_view message, LogFields fields = {});
inline void log_error(std::string_view message, LogFields fields = {}) {
  log(LogLevel::kError, message, fields);
}
inline void log_warning(std::string_view message, LogFields fields = {}) {
  log(LogLevel::kWarning, message, fields);
}
inline void log_info(std::string_view message, LogFields fields = {}) {
  log(LogLevel::kInfo, message, fields);
}
inline void log_debug(std::string_view message, LogFields fields = {}) {
  log(LogLevel::kDebug, message, fields);
}

// One line without its end, as it would be written; `time` empty for journald, which has its own.
std::string format_log_line(LogFormat format, LogLevel level, std::string_view time,
                            std::string_view message, LogFields fields);

}  // namespace gpusched
