#include "api/log_stream.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/access/rights.h"
#include "core/model/kind.h"
#include "core/model/placeholders.h"

namespace gpusched {
namespace {

constexpr std::size_t kPieceBytes = 128U << 10;

struct OpenedLog {
  std::shared_ptr<Fd> file;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> end = {};  // Where to end, if only a part was asked for.
};

// Runs on the worker thread.
Result<OpenedLog> open_now(const std::string& state_directory, AttemptId attempt,
                           const std::string& path, const Identity& owner, const LogAsked& asked) {
  Result<Fd> file = open_log(state_directory, attempt, asked.stream, path, owner);
  if (!file) return failure(file.error());
  struct stat about {};
  if (::fstat(file->get(), &about) != 0) {
    return failure(ErrorCode::kIo, fmt::format("look at the log of job {}", number_of(asked.job)));
  }
  OpenedLog opened{nullptr, static_cast<std::uint64_t>(about.st_size), asked.offset, {}};
  if (asked.tail) {
    const Result<std::uint64_t> begin = log_tail_offset(file->get(), *asked.tail);
    if (!begin) return failure(begin.error());
    opened.offset = std::max(asked.offset, *begin);
  }
  if (asked.most) {
    const Result<LogStretch> part = log_stretch(file->get(), opened.offset, *asked.most);
    if (!part) return failure(part.error());
    opened.offset = part->begin;
    opened.end = part->end;
  }
  opened.file = std::make_shared<Fd>(std::move(*file));
  return opened;
}

// One log on its way to one client. Waits (only when following) for the attempt to begin, opens
// the file, sends what is there, waits for more.
class LogAnswer : public std::enable_shared_from_this<LogAnswer> {
 public:
  LogAnswer(Context& context, LogAsked asked, Responder responder)
      : context_(context), asked_(asked), responder_(std::move(responder)) {}

  void start() {
    if (asked_.follow) {
      watcher_ = std::make_shared<JobWatch::Watcher>();
      watcher_->changed = [weak = weak_from_this()](JobId) {
        if (const auto self = weak.lock()) self->something_changed();
      };
      context_.job_watch.add(asked_.job, watcher_);
    }
    // While nothing is sent yet, only this holds the answer.
    responder_.on_gone([self = shared_from_this()] { self->watcher_.reset(); });
    begin();
  }

 private:
  const Job* job() const { return context_.state().find(asked_.job); }

  // True once the attempt cannot write any more.
  bool attempt_over() const {
    const Job* now = job();
    return now == nullptr || now->attempt != attempt_ || !now->active();
  }

  void begin() {
    const Job* now = job();
    if (now == nullptr) return fail(ErrorCode::kNotFound, "is gone");
    const int wanted = asked_.attempt.value_or(std::max(1, now->attempt));
    if (wanted > now->attempt && asked_.follow) {
      if (now->ended()) return send_nothing();
      return;  // something_changed() comes back here.
    }
    const Result<LogOfAttempt> log = log_of(*now, asked_.attempt, asked_.stream);
    if (!log) {
      responder_.fail(log.error());
      return watcher_.reset();
    }
    attempt_ = log->attempt.number;
    open(*now, *log);
  }

  void open(const Job& now, const LogOfAttempt& log) {
    busy_ = true;
    changed_ = false;
    const bool over = attempt_over();
    begins_ = log_is_to_come(now, log.attempt);
    owner_ = now.owner.uid;
    context_.files.post(
        owner_,
        [weak = weak_from_this(), asked = asked_, log, over,
         directory = context_.ports.state_directory, owner = now.owner]() -> Background::Then {
          Result<OpenedLog> opened = open_now(directory, log.attempt, log.path, owner, asked);
          return [weak, over, opened = std::move(opened)] {
            if (const auto self = weak.lock()) self->take_file(opened, over);
          };
        });
  }

  void take_file(const Result<OpenedLog>& opened, bool was_over) {
    busy_ = false;
    if (!opened) {
      const bool missing = opened.error().code == ErrorCode::kNotFound;
      // Its log is made a moment after it was told to start.
      if (missing && begins_ && !asked_.follow) return send_nothing();
      const bool may_come = asked_.follow && !was_over && missing;
      if (!may_come) return responder_.fail(opened.error());
      if (changed_) begin();
      return;
    }
    file_ = opened->file;
    offset_ = opened->offset;
    if (asked_.follow) {
      Result<LogWatch::Token> token =
          context_.log_watch.watch(file_->get(), [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->something_changed();
          });
      if (!token) return responder_.fail(token.error());
      token_ = std::move(*token);
    } else {
      stop_at_ = opened->end.value_or(opened->size);
    }
    send(opened->size, opened->end.has_value());
  }

  void send(std::uint64_t size, bool is_part) {
    HttpResponse response;
    response.content_type = "application/octet-stream";
    response.headers = {{"Gpusched-Log-Size", std::to_string(size)},
                        {"Gpusched-Attempt", std::to_string(attempt_)}};
    if (is_part) {
      response.headers.emplace_back("Gpusched-Log-Offset", std::to_string(offset_));
      response.headers.emplace_back("Gpusched-Log-Next", std::to_string(stop_at_));
    }
    response.stream = [self = shared_from_this()](std::string& out) { return self->pull(out); };
    responder_.send(std::move(response));
  }

  void send_nothing() {
    HttpResponse response;
    response.content_type = "application/octet-stream";
    response.headers = {{"Gpusched-Log-Size", "0"}};
    responder_.send(std::move(response));
    watcher_.reset();
  }

  Pull pull(std::string& out) {
    if (failed_) return Pull::kAbort;
    if (!ready_.empty()) {
      out = std::exchange(ready_, {});
      read();
      return Pull::kMore;
    }
    if (ended_) return Pull::kEnd;
    if (!at_end_ || changed_) read();
    return Pull::kWait;
  }

  void something_changed() {
    changed_ = true;
    if (busy_) return;  // Looked at when it is done.
    if (file_ == nullptr) return begin();
    if (ready_.empty()) read();
  }

  void read() {
    if (busy_ || ended_ || failed_) return;
    busy_ = true;
    changed_ = false;
    at_end_ = false;
    // Asked before reading: what an attempt that is over has written is all there.
    const bool over = attempt_over();
    const std::size_t most = static_cast<std::size_t>(
        std::min<std::uint64_t>(kPieceBytes, stop_at_ - std::min(stop_at_, offset_)));
    context_.files.post(
        owner_,
        [weak = weak_from_this(), file = file_, at = offset_, most, over]() -> Background::Then {
          Result<LogPiece> piece =
              most == 0 ? Result<LogPiece>(LogPiece{{}, at}) : read_log(file->get(), at, most);
          return [weak, over, piece = std::move(piece)]() mutable {
            if (const auto self = weak.lock()) self->take_piece(std::move(piece), over);
          };
        });
  }

  void take_piece(Result<LogPiece> piece, bool was_over) {
    busy_ = false;
    if (!piece) {
      failed_ = true;
    } else if (piece->bytes.empty() && piece->next_offset == offset_) {
      at_end_ = true;
      ended_ = !asked_.follow || was_over;
      if (!ended_ && changed_) return read();
      if (!ended_) return;
    } else {
      // A hole may have carried the offset past the end that was set.
      if (piece->next_offset > stop_at_) piece->bytes.clear();
      offset_ = piece->next_offset;
      ready_ = std::move(piece->bytes);
      if (ready_.empty()) return read();
    }
    responder_.wake();
  }

  void fail(ErrorCode code, std::string_view what) {
    responder_.fail({code, fmt::format("job {} {}", number_of(asked_.job), what)});
    watcher_.reset();
  }

  Context& context_;
  LogAsked asked_;
  Responder responder_;
  std::shared_ptr<JobWatch::Watcher> watcher_;
  LogWatch::Token token_;
  int attempt_ = 0;
  std::uint32_t owner_ = 0;  // Whose file it is: a place that hangs is theirs.
  std::shared_ptr<Fd> file_;
  std::uint64_t offset_ = 0;
  std::uint64_t stop_at_ = UINT64_MAX;
  std::string ready_;
  bool begins_ = false;   // The attempt was starting when its log was opened.
  bool busy_ = false;     // The worker is opening or reading for us.
  bool changed_ = false;  // Something happened since it was last asked.
  bool at_end_ = false, ended_ = false, failed_ = false;
};

}  // namespace

Result<void> may_read_log(const Principal& who, const Job& job) {
  if (!may(who, Action::kReadLog, owned_by(job.owner))) {
    return failure(
        ErrorCode::kForbidden,
        fmt::format("job {} belongs to {}; only they and administrators may read its log",
                    number_of(job.id), job.owner.user));
  }
  if (const char* why = kind_of(job).no_log) {
    return failure(ErrorCode::kConflict, fmt::format("job {} {}", number_of(job.id), why));
  }
  return {};
}

Result<LogOfAttempt> log_of(const Job& job, const std::optional<int>& attempt, LogStream stream) {
  const auto none = [&job](std::string_view why) {
    return failure(ErrorCode::kNotFound, fmt::format("job {} {}", number_of(job.id), why));
  };
  if (job.attempt == 0) return none("has not started yet, so it has no log");
  const int wanted = attempt.value_or(job.attempt);
  if (wanted > job.attempt) return none(fmt::format("has no attempt {}", wanted));
  LogOfAttempt log{{job.id, wanted}, output_path_of(job)};
  if (stream == LogStream::kOutput) return log;
  log.path = error_path_of(job);
  if (log.path.empty()) return none("writes its errors to its output; it has no log of them");
  return log;
}

bool log_is_to_come(const Job& job, AttemptId attempt) {
  return job.attempt == attempt.number && std::holds_alternative<Starting>(job.state);
}

void send_log(Context& context, const LogAsked& asked, const Responder& responder) {
  std::make_shared<LogAnswer>(context, asked, responder)->start();
}

}  // namespace gpusched
