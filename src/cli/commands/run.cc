#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "cli/attach.h"
#include "cli/commands/verbs.h"
#include "cli/display.h"
#include "cli/jobs/job_ids.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/submit/prepare.h"
#include "cli/submit/submit_flags.h"
#include "cli/terminal.h"
#include "cli/views/views.h"
#include "client/change_feed.h"

namespace gpusched::cli {
namespace {

constexpr int kExitInterrupted = 130;
// A job that starts at once says nothing about waiting.
constexpr std::chrono::milliseconds kFirstWords{300};
// Reasons change without an event of this job.
constexpr std::chrono::milliseconds kAskAgain{5000};
// A shim's socket appears a moment before or after the daemon's word.
constexpr std::chrono::milliseconds kSocketPause{20};

// Why it waits, on one line of a terminal that is rewritten; elsewhere a line per change.
class WaitingLine {
 public:
  ~WaitingLine() { clear(); }
  void show(std::uint64_t id, const std::string& reason) {
    if (reason == shown_) return;
    shown_ = reason;
    if (!is_terminal(STDERR_FILENO)) {
      note(fmt::format("job {} waits: {}", id, reason));
      return;
    }
    const auto size = terminal_size(STDERR_FILENO).value_or(TerminalSize{});
    const std::string words = fmt::format("gpusched: job {} waits: {}", id, escaped(reason));
    write(fmt::format("\r\x1b[K{}", cut(words, static_cast<std::size_t>(size.columns) - 1)));
    drawn_ = true;
  }
  void clear() {
    if (drawn_) write("\r\x1b[K");
    drawn_ = false;
  }

 private:
  static void write(const std::string& text) {
    (void)!::write(STDERR_FILENO, text.data(), text.size());
  }
  std::string shown_;
  bool drawn_ = false;
};

Result<JobDetails> details_of(const Client& client, std::uint64_t id) {
  auto body = client.call_patiently({.target = fmt::format("/v1/jobs/{}", id)});
  if (!body) return failure(body.error());
  auto jobs = parse_job_details(*body);
  if (!jobs) return failure(jobs.error());
  if (jobs->empty()) return failure(ErrorCode::kNotFound, fmt::format("there is no job {}", id));
  return std::move(jobs->front());
}

class Foreground {
 public:
  Foreground(const Client& client, std::uint64_t id)
      : client_(client),
        id_(id),
        signals_({SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGWINCH}),
        feed_(client, std::to_string(id)) {}

  int run() {
    // The job is in the queue: a daemon that restarts just now is no reason to leave it alone.
    Patience patience = client_.patience();
    auto opened = feed_.open();
    while (!opened && is_away(opened.error()) && patience.wait_a_moment()) opened = feed_.open();
    if (!opened) return fail(opened.error());
    while (true) {
      auto job = details_of(client_, id_);
      if (!job) return lost(job.error());
      print_missed(*job);
      const bool fresh = job->attempt > attached_attempt_ && !job->directory.empty();
      const bool may_attach = fresh && !job->waiting();
      if (may_attach) {
        auto done = try_attach(*job);
        if (done) return *done;
        if (attached_attempt_ == job->attempt) continue;
      }
      if (job->ended()) return finish(*job);
      if (job->waiting() && told_) line_.show(id_, job->reason);
      if (auto left = wait_for_change(may_attach); left) return *left;
    }
  }

 private:
  // An exit code if there is nothing more to do.
  std::optional<int> try_attach(const JobDetails& job) {
    line_.clear();
    auto ended = attach_to(job.directory, signals_);
    if (ended) {
      attached_attempt_ = job.attempt;
      last_exit_ = std::move(*ended);
      return std::nullopt;
    }
    const ErrorCode code = ended.error().code;
    // Not there yet, or no more: the daemon knows which.
    if (job.ended() || code == ErrorCode::kNotFound) return std::nullopt;
    if (code != ErrorCode::kUnavailable) return fail(ended.error());
    attached_attempt_ = job.attempt;  // The supervisor is gone; the daemon will say how it ended.
    return std::nullopt;
  }

  // An exit code if the user gave up.
  std::optional<int> wait_for_change(bool soon) {
    const auto timeout = soon ? kSocketPause : told_ ? kAskAgain : kFirstWords;
    auto next = feed_.next(timeout, signals_.fd());
    if (!next) return lost(next.error());
    if (next->by == ChangeFeed::Woken::kTime && !soon) told_ = true;
    if (next->by != ChangeFeed::Woken::kOther) return std::nullopt;
    while (const std::optional<int> signal = signals_.take()) {
      if (*signal == SIGWINCH) continue;
      line_.clear();
      auto cancelled = client_.call(
          {.method = "POST", .target = fmt::format("/v1/jobs/{}/cancel", id_), .body = "{}"});
      if (!cancelled) return fail(cancelled.error());
      note(fmt::format("cancelled job {}", id_));
      return kExitInterrupted;
    }
    return std::nullopt;
  }

  // Attempts that ran and ended before this terminal could be attached.
  void print_missed(const JobDetails& job) {
    const bool over = job.ended() || job.waiting();
    const int last = over ? job.attempt : job.attempt - 1;
    while (attached_attempt_ < last) {
      line_.clear();
      const std::string target =
          fmt::format("/v1/jobs/{}/log?attempt={}", id_, ++attached_attempt_);
      auto log = client_.call({.target = target});
      if (log) (void)print(*log);
    }
  }

  int finish(const JobDetails& job) {
    line_.clear();
    const int code = exit_code_of_job(job);
    if (code != 0 && job.cause != "exit") {
      const std::string& why = job.message.empty() ? job.cause : job.message;
      note(fmt::format("job {} {}{}", id_, job.state, why.empty() ? "" : ": " + why));
    }
    return code;
  }

  // Without a daemon the supervisor's word is the best there is.
  int lost(const Error& error) {
    line_.clear();
    if (!last_exit_ || !is_away(error)) return fail(error);
    JobView job;
    job.state = last_exit_->exit_code == 0 ? "completed" : "failed";
    job.exit_code = last_exit_->exit_code;
    job.signal = last_exit_->signal;
    if (last_exit_->cause == Cause::kTimeout) job.cause = "timeout";
    return exit_code_of_job(job);
  }

  const Client& client_;
  std::uint64_t id_;
  SignalFd signals_;
  ChangeFeed feed_;
  WaitingLine line_;
  bool told_ = false;
  int attached_attempt_ = 0;
  std::optional<JobExit> last_exit_;
};

int run_run(const Arguments& arguments) {
  if (arguments.has("--json")) {
    return fail({ErrorCode::kInvalid,
                 "run gives its output to the job and has no --json form; use submit --json"});
  }
  auto submission = prepare_submission(arguments, kRunSections);
  if (!submission) return fail(submission.error());
  const bool terminal = is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO);
  submission->attach = terminal ? Attach::kPty : Attach::kPipes;
  const TerminalSize size = terminal_size(STDIN_FILENO).value_or(TerminalSize{});
  submission->rows = size.rows;
  submission->columns = size.columns;
  const Client client = client_of(arguments);
  if (auto resolved = resolve_after(client, *submission); !resolved) return fail(resolved.error());
  const bool dry_run = arguments.has("--dry-run");
  auto answer = client.call({.method = "POST",
                             .target = dry_run ? "/v1/jobs?dry_run=1" : "/v1/jobs",
                             .body = write_body(*submission, {}).text});
  if (!answer) return fail(answer.error());
  auto submitted = parse_submitted(*answer);
  if (!submitted) return fail(submitted.error());
  if (dry_run) {
    note("would run this job; nothing was changed");
    if (!submitted->preview) return kExitOk;  // Of an older daemon.
    auto shown = print(render_preview(*submitted, stdout_page()));
    return shown ? kExitOk : fail(shown.error());
  }
  return Foreground(client, submitted->first).run();
}

}  // namespace

constinit const Verb kRunVerb = {
    .name = "run",
    .summary = "the same in the foreground: this terminal is the job's",
    .usage =
        "run [FLAGS] -- COMMAND…\n"
        "       gpusched run [FLAGS] SCRIPT [ARGUMENTS…]",
    .about =
        "Waits until the job may start and says why it waits. Then input, output, window size and\n"
        "Ctrl-C are the job's, and its exit code is this program's. Ctrl-C before that cancels it.",
    .examples =
        "gpusched run --vram 8G -- python -i\n"
        "gpusched run --gpus 0 -- make -j4",
    .sections = kRunSections,
    .operands = Operands::kCommand,
    .run = run_run,
};

}  // namespace gpusched::cli
