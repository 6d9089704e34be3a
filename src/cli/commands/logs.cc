#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <optional>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/flag_values.h"
#include "cli/jobs/job_ids.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/views/views.h"
#include "client/change_feed.h"

namespace gpusched::cli {
namespace {

// A line of a log is seldom longer; more is fetched when it is.
constexpr std::uint64_t kBytesPerLine = 200;

constexpr std::array kLogsFlags = {
    Flag{"--follow", 'f', FlagKind::kSwitch, "", "go on until the job has ended"},
    Flag{"--lines", 'n', FlagKind::kValue, "N", "only the last N lines"},
    Flag{"--attempt", 0, FlagKind::kValue, "N", "of an earlier attempt"},
    Flag{"--stderr", 0, FlagKind::kSwitch, "", "standard error, where --error splits it off"},
};
constexpr std::array<FlagSection, 3> kLogsSections = {FlagSection{"What", kLogsFlags},
                                                      FlagSection{"Which jobs", kSelectorFlags},
                                                      FlagSection{"General", kCommonFlags}};

struct LogRequest {
  std::uint64_t id = 0;
  std::string extra;  // "&attempt=2&stream=error"

  std::string target(std::string_view how) const {
    return fmt::format("/v1/jobs/{}/log?{}{}", id, how, extra);
  }
};

// Everything from `offset` on, to stdout; advances `offset` by what was printed.
Result<void> copy_from(const Client& client, const LogRequest& log, std::uint64_t& offset,
                       bool follow) {
  const std::string how = fmt::format("offset={}{}", offset, follow ? "&follow=1" : "");
  // A job may be silent for days.
  auto exchange = client.open({.target = log.target(how)},
                              follow ? std::chrono::milliseconds{-1} : Client::kPatience);
  if (!exchange) return failure(exchange.error());
  while (true) {
    auto part = exchange->read_some();
    if (!part) return failure(part.error());
    if (part->empty()) return {};
    if (auto done = print(*part); !done) return done;
    offset += part->size();
  }
}

std::size_t start_of_last_lines(std::string_view text, std::uint64_t lines) {
  std::size_t at = text.size();
  if (at > 0 && text[at - 1] == '\n') --at;  // The end of the last line.
  while (lines > 0) {
    const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    if (newline == std::string_view::npos) return 0;
    at = newline;
    if (--lines == 0) return at + 1;
  }
  return text.size();
}

// Prints the last lines; `offset` becomes the position after them.
Result<void> print_last(const Client& client, const LogRequest& log, std::uint64_t lines,
                        std::uint64_t& offset) {
  std::uint64_t bytes = std::max<std::uint64_t>(lines * kBytesPerLine, 4096);
  while (true) {
    auto exchange = client.open({.target = log.target(fmt::format("tail={}", bytes))});
    if (!exchange) return failure(exchange.error());
    const std::string size_text = exchange->header("gpusched-log-size");
    auto text = exchange->read_all();
    if (!text) return failure(text.error());
    std::uint64_t size = text->size();
    std::from_chars(size_text.data(), size_text.data() + size_text.size(), size);
    const std::size_t start = start_of_last_lines(*text, lines);
    const bool whole = text->size() >= size || text->size() < bytes;
    if (start == 0 && !whole) {
      bytes *= 4;
      continue;
    }
    offset = std::max<std::uint64_t>(size, text->size());
    return print(std::string_view(*text).substr(start));
  }
}

// A job that has not started has no log yet.
Result<void> until_started(const Client& client, std::uint64_t id) {
  ChangeFeed feed(client, std::to_string(id));
  if (auto opened = feed.open(); !opened) return opened;
  bool told = false;
  while (true) {
    auto body = client.call_patiently({.target = fmt::format("/v1/jobs/{}", id)});
    if (!body) return failure(body.error());
    auto jobs = parse_jobs(*body);
    if (!jobs) return failure(jobs.error());
    if (jobs->empty() || !jobs->front().waiting()) return {};
    if (!told) note(fmt::format("job {} waits: {}", id, jobs->front().reason));
    told = true;
    auto next = feed.next(std::chrono::milliseconds{-1});
    if (!next) return failure(next.error());
  }
}

Result<void> follow(const Client& client, const LogRequest& log, std::uint64_t offset) {
  Patience patience = client.patience();
  while (true) {
    const std::uint64_t before = offset;
    auto copied = copy_from(client, log, offset, true);
    if (copied) return {};
    if (offset > before) patience.reset();
    if (!is_away(copied.error()) || !patience.wait_a_moment()) return copied;
  }
}

Result<LogRequest> request_of(const Arguments& arguments) {
  LogRequest log;
  if (const FlagValue* attempt = arguments.find("--attempt"); attempt != nullptr) {
    auto number = parse_whole(attempt->text, 1, std::numeric_limits<int>::max());
    if (!number) return bad_value(*attempt, number.error().message);
    log.extra += fmt::format("&attempt={}", *number);
  }
  if (arguments.has("--stderr")) log.extra += "&stream=error";
  return log;
}

Result<void> show_log(const Client& client, const Arguments& arguments, const LogRequest& log) {
  const bool following = arguments.has("--follow");
  if (following && log.extra.find("attempt") == std::string::npos) {
    if (auto started = until_started(client, log.id); !started) return started;
  }
  std::uint64_t offset = 0;
  if (const FlagValue* lines = arguments.find("--lines"); lines != nullptr) {
    auto count = parse_whole(lines->text, 0, 1'000'000'000);
    if (!count) return bad_value(*lines, count.error().message);
    auto printed = print_last(client, log, static_cast<std::uint64_t>(*count), offset);
    if (!printed || !following) return printed;
  }
  return following ? follow(client, log, offset) : copy_from(client, log, offset, false);
}

int run_logs(const Arguments& arguments) {
  auto selection = selection_or_last(arguments);
  if (!selection) return fail(selection.error());
  auto log = request_of(arguments);
  if (!log) return fail(log.error());
  if (arguments.has("--json")) {
    return fail({ErrorCode::kInvalid, "a log is raw bytes; it has no --json form"});
  }
  const Client client = client_of(arguments);
  auto ids = resolve_ids(client, *selection);
  if (!ids) return fail(ids.error());
  if (ids->empty()) note("no job matches");
  if (ids->size() > 1 && arguments.has("--follow")) {
    return fail({ErrorCode::kInvalid, "follow one job at a time: gpusched logs -f 7"});
  }
  for (const std::uint64_t id : *ids) {
    // With the bytes, so that it stays before them in a pipe or file.
    if (ids->size() > 1) {
      const char* gap = id == ids->front() ? "" : "\n";
      if (auto done = print(fmt::format("{}==> job {} <==\n", gap, id)); !done) {
        return fail(done.error());
      }
    }
    log->id = id;
    if (auto shown = show_log(client, arguments, *log); !shown) return fail(shown.error());
  }
  return kExitOk;
}

}  // namespace

constinit const Verb kLogsVerb = {
    .name = "logs",
    .alias = "log",
    .summary = "a job's output, live with -f",
    .usage = "logs [IDS…] [FLAGS]",
    .about =
        "Without ids: the newest of one's own jobs. The bytes are those that the job wrote;\n"
        "of several jobs each has a line '==> job 7 <==' before it.",
    .examples =
        "gpusched logs\n"
        "gpusched logs -f 7\n"
        "gpusched logs -n 20 7",
    .sections = kLogsSections,
    .operands = Operands::kJobs,
    .run = run_logs,
};

}  // namespace gpusched::cli
