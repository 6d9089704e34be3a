#include "cli/foreground.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <random>

#include "cli/attach.h"
#include "cli/display.h"
#include "cli/jobs/job_ids.h"
#include "cli/logs/last_lines.h"
#include "cli/lost_connection.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "cli/views/views.h"
#include "cli/waiting_keys.h"
#include "client/change_feed.h"

namespace gpusched::cli {
namespace {

// What a shell says of a program that a signal ended.
constexpr int exit_code_of_signal(int signal) { return 128 + signal; }
// A job that starts at once says nothing about waiting.
constexpr std::chrono::milliseconds kFirstWords{300};
// Reasons change without an event of this job.
constexpr std::chrono::milliseconds kAskAgain{5000};
// Of the log, when somebody comes back.
constexpr std::uint64_t kLinesBefore = 20;
// A shim's socket appears a moment before or after the daemon's word.
constexpr std::chrono::milliseconds kSocketPause{20};
constexpr std::chrono::milliseconds kFarSocketPause{250};
// For an answer over the network.
constexpr std::chrono::milliseconds kFarPatience{10'000};

std::uint64_t random_key() {
  std::random_device random;
  return (static_cast<std::uint64_t>(random()) << 32U) | random();
}

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

// Over the network nobody waits in silence: keys and signals count meanwhile.
Result<JobDetails> details_of(const Client& client, std::uint64_t id) {
  const Request request{.target = fmt::format("/v1/jobs/{}", id)};
  auto body = client.on_network() ? client.call_once(request, kFarPatience)
                                  : client.call_patiently(request);
  if (!body) return failure(body.error());
  auto jobs = parse_job_details(*body);
  if (!jobs) return failure(jobs.error());
  if (jobs->empty()) return failure(ErrorCode::kNotFound, fmt::format("there is no job {}", id));
  return std::move(jobs->front());
}

class Foreground {
 public:
  Foreground(const Client& client, std::uint64_t id, Staying how)
      : client_(client),
        id_(id),
        how_(how),
        signals_({SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGWINCH}),
        feed_(client, std::to_string(id), {},
              client.on_network() ? ChangeFeed::WhenLost::kSaysOnly
                                  : ChangeFeed::WhenLost::kConnectsAgain) {}

  int run() {
    // The job is in the queue: a daemon that restarts just now is no reason to leave it alone.
    Patience patience = client_.patience();
    auto opened = feed_.open();
    while (!opened && is_away(opened.error()) && patience.wait_a_moment()) opened = feed_.open();
    if (!opened) return fail(opened.error());
    while (true) {
      auto job = look();
      if (!job && client_.on_network() && is_away(job.error())) {
        if (auto left = wait_for_daemon(job.error())) return *left;
        continue;
      }
      if (!job) return lost(job.error());
      if (away_.over()) said_lost_ = false;
      if (!job_seen_ && how_ == Staying::kComingBack) come_back(*job);
      job_seen_ = true;
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
      if (job->asked.attach == Attach::kPty) keys_.watch();
      if (auto left = wait_for_change(may_attach); left) return *left;
    }
  }

 private:
  Result<JobDetails> look() {
    if (feed_lost_) {
      if (auto opened = feed_.open(); !opened) return failure(opened.error());
      feed_lost_ = false;
    }
    return details_of(client_, id_);
  }

  // An exit code if the user has left, or it takes too long.
  std::optional<int> wait_for_daemon(const Error& error) {
    line_.clear();
    if (!std::exchange(said_lost_, true)) note(error.message + "; trying again");
    if (is_terminal(STDIN_FILENO)) keys_.watch();
    const LostConnection::Paused paused = away_.pause(signals_, keys_);
    keys_.stop();
    if (paused.then == LostConnection::Then::kGiveUp) return lost(error);
    if (paused.then == LostConnection::Then::kTryAgain) return std::nullopt;
    return left_as_it_is(paused.signal);
  }

  int left_as_it_is(int signal) const {
    note(fmt::format("left job {} as it is; back to it with: gpusched attach {}", id_, id_));
    return signal == 0 ? kExitOk : exit_code_of_signal(signal);
  }

  // Who leaves does not wait until a lost network comes back.
  Result<std::string> change(const Request& request) const {
    return client_.on_network() ? client_.call_once(request, kFarPatience) : client_.call(request);
  }

  // An exit code if there is nothing more to do.
  std::optional<int> try_attach(const JobDetails& job) {
    line_.clear();
    keys_.stop();
    AttachTerms terms{.signals_detach = how_ == Staying::kComingBack,
                      .leave_at_once = leaving_,
                      .keys = keys_.keys,
                      .typed = keys_.typed,
                      .key = key_,
                      .again = was_lost_};
    const AttemptPlace place{client_, id_, job.attempt, job.directory};
    auto ended = attach_to(place, signals_, terms);
    keys_.keys = terms.keys;
    keys_.typed = terms.typed;
    if (terms.begun) said_lost_ = false;
    if (ended && ended->hung_up) {
      attached_attempt_ = job.attempt;
      return std::nullopt;
    }
    if (ended && !ended->exit) return detached(leaving_ ? leaving_by_ : ended->signal, "");
    if (ended) {
      leaving_ = false;
      keys_.typed.clear();
      attached_attempt_ = job.attempt;
      last_exit_ = std::move(*ended->exit);
      return std::nullopt;
    }
    const ErrorCode code = ended.error().code;
    // Not there yet, or no more: the daemon knows which.
    if (job.ended() || code == ErrorCode::kNotFound) return std::nullopt;
    if (code != ErrorCode::kUnavailable) return fail(ended.error());
    if (client_.on_network()) {
      was_lost_ = was_lost_ || terms.begun;
      if (!std::exchange(said_lost_, true)) {
        note(fmt::format("{}; job {} goes on, trying to attach again", ended.error().message, id_));
      }
      return std::nullopt;
    }
    attached_attempt_ = job.attempt;  // The supervisor is gone; the daemon will say how it ended.
    return std::nullopt;
  }

  // An exit code if the user gave up.
  std::optional<int> wait_for_change(bool soon) {
    const auto socket_pause = client_.on_network() ? kFarSocketPause : kSocketPause;
    const auto timeout = soon ? socket_pause : told_ ? kAskAgain : kFirstWords;
    auto next = feed_.next(timeout, signals_.fd(), keys_.fd());
    if (!next && client_.on_network() && is_away(next.error())) {
      feed_lost_ = true;
      return std::nullopt;
    }
    if (!next) return lost(next.error());
    if (next->by == ChangeFeed::Woken::kTime && !soon) told_ = true;
    if (next->by == ChangeFeed::Woken::kTime && nobody_is_there()) return leave_by(SIGHUP);
    if (next->by != ChangeFeed::Woken::kOther) return std::nullopt;
    while (const std::optional<int> signal = signals_.take()) {
      if (*signal != SIGWINCH) return leave_by(*signal);
    }
    if (keys_.take()) return leave_waiting(0);
    return std::nullopt;
  }

  // While it waits.
  std::optional<int> leave_by(int signal) {
    line_.clear();
    if (leaving_) return exit_code_of_signal(signal);
    if (how_ == Staying::kComingBack) return leave_waiting(signal);
    auto cancelled =
        change({.method = "POST", .target = fmt::format("/v1/jobs/{}/cancel", id_), .body = "{}"});
    if (!cancelled) return fail(cancelled.error());
    note(fmt::format("cancelled job {}", id_));
    return exit_code_of_signal(signal);
  }

  int detached(int signal, std::string_view how_it_is) const {
    note(fmt::format("detached from job {}{}; back to it with: gpusched attach {}", id_, how_it_is,
                     id_));
    return signal == 0 ? kExitOk : exit_code_of_signal(signal);
  }

  // By keys, or by a signal. Nothing if there is more to do: it has started meanwhile.
  std::optional<int> leave_waiting(int signal) {
    line_.clear();
    auto answer = change({.method = "PATCH",
                          .target = fmt::format("/v1/jobs/{}", id_),
                          .body = R"({"detached":true})"});
    if (!answer && client_.on_network() && is_away(answer.error())) return left_as_it_is(signal);
    if (!answer) {
      note("not detached: " + answer.error().message);
      if (signal != 0) return exit_code_of(answer.error().code);
      return std::nullopt;
    }
    auto changed = parse_changed(*answer);
    if (!changed) return fail(changed.error());
    if (!changed->changed.empty()) return detached(signal, ", which still waits");
    leaving_ = true;
    leaving_by_ = signal;
    return std::nullopt;
  }

  // What was on the screen last, instead of all that was ever written.
  void come_back(const JobDetails& job) {
    const bool over = job.ended() || job.waiting();
    attached_attempt_ = over ? job.attempt : job.attempt - 1;
    if (job.waiting()) return;
    auto last = last_lines(client_, {id_, ""}, kLinesBefore);
    if (!last) return;
    // It was written for a terminal in raw mode; this one makes "\r\n" itself.
    std::string text = last->text;
    for (std::size_t at = text.find("\r\n"); at != std::string::npos; at = text.find("\r\n", at)) {
      text.erase(at, 1);
    }
    (void)print(text);
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
  Staying how_;
  bool job_seen_ = false;
  SignalFd signals_;
  ChangeFeed feed_;
  bool feed_lost_ = false;
  LostConnection away_;
  std::uint64_t key_ = random_key();  // Says that it is us, when we come back.
  bool was_lost_ = false;             // The connection to the job, at least once.
  bool said_lost_ = false;            // The user knows of it.
  WaitingLine line_;
  WaitingKeys keys_;
  bool told_ = false;
  bool leaving_ = false;  // Asked for when it waited no more and could not be attached yet.
  int leaving_by_ = 0;    // The signal that asked.
  int attached_attempt_ = 0;
  std::optional<JobExit> last_exit_;
};

}  // namespace

int stay_with(const Client& client, std::uint64_t id, Staying how) {
  return Foreground(client, id, how).run();
}

}  // namespace gpusched::cli
