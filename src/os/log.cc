#include "os/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <mutex>

#include "base/text.h"
#include "os/clock.h"
#include "os/rotated_file.h"

namespace gpusched {
namespace {

struct LevelRow {
  LogLevel level;
  const char* name;
  const char* journal_prefix;  // As in sd-daemon(3).
};
constexpr std::array kLevels = {
    LevelRow{LogLevel::kError, "error", "<3>"},
    LevelRow{LogLevel::kWarning, "warning", "<4>"},
    LevelRow{LogLevel::kInfo, "info", "<6>"},
    LevelRow{LogLevel::kDebug, "debug", "<7>"},
};

struct Sink {
  std::mutex mutex;
  LogFormat format = LogFormat::kPlain;
  std::optional<RotatedFile> file;  // Empty: stderr.
  bool journal = std::getenv("JOURNAL_STREAM") != nullptr;
  std::uint64_t lost = 0;  // Lines that could not be written since the last one that could.
};

std::atomic<LogLevel> the_level{LogLevel::kInfo};

Sink& the_sink() {
  // Never destroyed: threads may still speak while the process ends.
  static Sink* sink = new Sink;
  return *sink;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_line(Sink& sink, std::string_view line) {
  return sink.file ? sink.file->write(line) : write_all(STDERR_FILENO, line);
}

// Bytes of the character at `at`, of well-formed text.
std::size_t length_of(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

// What terminals and readers of lines may take for more than a character: controls, ends of lines
// and of paragraphs, and what turns the direction of writing. 0: it is none of these.
unsigned control_of(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F ? byte(0) + 0x100U : 0;
  if (character.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0 ? byte(1) + 0x100U : 0;
  if (character.size() != 3 || byte(0) != 0xE2) return 0;
  const unsigned code = 0x2000U + (byte(1) & 0x3FU) * 0x40U + (byte(2) & 0x3FU);
  const bool turns = (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return turns ? code + 0x100U : 0;
}

// The text with what is odd in it as an escape of JSON; `quote`: also quotes and backslashes.
void append_escaped(std::string& out, std::string_view text, bool quote) {
  const bool clean = is_utf8(text);
  for (std::size_t at = 0; at < text.size();) {
    if (!clean && static_cast<unsigned char>(text[at]) >= 0x80) {
      out += "\\ufffd";
      ++at;
      continue;
    }
    const std::string_view character = text.substr(at, length_of(text, at));
    if (const unsigned control = control_of(character); control != 0) {
      out += fmt::format("\\u{:04x}", control - 0x100U);
    } else {
      if (quote && (character == "\"" || character == "\\")) out += '\\';
      out += character;
    }
    at += character.size();
  }
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text, true);
  out += '"';
}

// A newline in a job's name must not forge a line of its own, nor "name=value" a field: a sentence
// that could be read as having fields stands in quotes.
void append_sentence(std::string& out, std::string_view text) {
  if (text.find_first_of("\"=\\") == std::string_view::npos)
    return append_escaped(out, text, false);
  append_json_string(out, text);
}

bool may_stand_bare(std::string_view text) {
  if (text.empty() || !is_utf8(text)) return false;
  for (std::size_t at = 0; at < text.size(); at += length_of(text, at)) {
    if (control_of(text.substr(at, length_of(text, at))) != 0) return false;
  }
  return text.find_first_of(" \"=\\") == std::string_view::npos;
}

void append_value(std::string& out, LogFormat format, const LogField::Value& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    if (format == LogFormat::kPlain && may_stand_bare(*text)) {
      out += *text;
    } else {
      append_json_string(out, *text);
    }
  } else if (const auto* truth = std::get_if<bool>(&value)) {
    out += *truth ? "true" : "false";
  } else if (const auto* real = std::get_if<double>(&value)) {
    out += fmt::format("{}", *real);
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    out += fmt::format("{}", *whole);
  } else {
    out += fmt::format("{}", std::get<std::uint64_t>(value));
  }
}

std::string json_line(LogLevel level, std::string_view time, std::string_view message,
                      LogFields fields) {
  std::string line = "{";
  if (!time.empty()) line += fmt::format("\"time\":\"{}\",", time);
  line += fmt::format("\"level\":\"{}\",\"message\":", log_level_name(level));
  append_json_string(line, message);
  for (const LogField& field : fields) {
    line += ',';
    append_json_string(line, field.key);
    line += ':';
    append_value(line, LogFormat::kJson, field.value);
  }
  return line + "}";
}

}  // namespace

const char* log_level_name(LogLevel level) {
  for (const LevelRow& row : kLevels) {
    if (row.level == level) return row.name;
  }
  return "error";
}

std::optional<LogLevel> log_level_named(std::string_view name) {
  for (const LevelRow& row : kLevels) {
    if (name == row.name) return row.level;
  }
  return std::nullopt;
}

std::string format_log_line(LogFormat format, LogLevel level, std::string_view time,
                            std::string_view message, LogFields fields) {
  if (format == LogFormat::kJson) return json_line(level, time, message, fields);
  std::string line;
  if (!time.empty()) line += fmt::format("{} {} ", time, log_level_name(level));
  append_sentence(line, message);
  for (const LogField& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_value(line, LogFormat::kPlain, field.value);
  }
  return line;
}

Result<void> open_log(const LogOptions& options) {
  std::optional<RotatedFile> file;
  if (!options.file.empty()) {
    auto opened = RotatedFile::open(options.file, options.rotate_bytes, options.rotate_keep);
    if (!opened) return failure(opened.error());
    file = std::move(*opened);
  }
  Sink& sink = the_sink();
  const std::lock_guard lock(sink.mutex);
  sink.format = options.format;
  sink.file = std::move(file);
  the_level = options.level;
  return {};
}

Result<void> reopen_log() {
  Sink& sink = the_sink();
  const std::lock_guard lock(sink.mutex);
  return sink.file ? sink.file->reopen() : Result<void>{};
}

void set_log_level(LogLevel level) { the_level = level; }
LogLevel log_level() { return the_level; }

void log(LogLevel level, std::string_view message, LogFields fields) {
  if (!log_enabled(level)) return;
  Sink& sink = the_sink();
  const std::lock_guard lock(sink.mutex);
  const bool journal = sink.journal && !sink.file;
  const std::string time = journal ? std::string() : format_time(read_clock().wall);
  const auto full_line = [&](LogLevel of, std::string_view text, LogFields with) {
    std::string line = journal ? kLevels[static_cast<std::size_t>(of)].journal_prefix : "";
    return line + format_log_line(sink.format, of, time, text, with) + "\n";
  };
  if (sink.lost > 0) {
    const std::string note =
        full_line(LogLevel::kWarning, "log lines were lost", {{"lines", sink.lost}});
    if (!write_line(sink, note)) {
      ++sink.lost;
      return;
    }
    sink.lost = 0;
  }
  if (!write_line(sink, full_line(level, message, fields))) ++sink.lost;
}

}  // namespace gpusched
