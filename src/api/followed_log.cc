#include "api/followed_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "core/model/placeholders.h"
#include "jobdir/log_file.h"
#include "json/json_writer.h"

namespace gpusched {
namespace {

// Small: what else the stream tells comes between.
constexpr std::size_t kLogPieceBytes = 16U << 10;
// Of a log that nobody has seen yet.
constexpr std::uint64_t kLastPart = 64U << 10;

// Without a character whose rest has not been written yet.
std::size_t whole_characters(std::string_view bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((byte & 0xC0U) == 0x80U) continue;  // In the middle of one.
    const std::size_t length = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC0U ? 2 : 1;
    return length > back ? bytes.size() - back : bytes.size();
  }
  return bytes.size();
}

// How much of it is told at once. Lines stay whole where they can.
std::size_t to_be_told(std::string_view bytes, bool all) {
  if (bytes.size() == kLogPieceBytes) {
    const std::size_t line = bytes.rfind('\n');
    return line == std::string_view::npos ? whole_characters(bytes) : line + 1;
  }
  return all ? bytes.size() : whole_characters(bytes);
}

}  // namespace

Result<LogPlace> parse_log_place(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '.');
  std::uint64_t job = 0;
  std::uint64_t attempt = 0;
  LogPlace place;
  bool good = (parts.size() == 1 || parts.size() == 3) && whole_number(parts[0], job, 10);
  if (good && parts.size() == 3) {
    good = whole_number(parts[1], attempt, 10) && whole_number(parts[2], place.offset, 10) &&
           attempt <= 1'000'000 && place.offset <= INT64_MAX;
  }
  if (!good) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("\"{}\" is no place in a log; write 7, or 7.1.4096 for byte 4096 of "
                               "attempt 1",
                               text.substr(0, 60)));
  }
  place.job = JobId{job};
  place.attempt = static_cast<int>(attempt);
  return place;
}

std::string text_of(const LogPlace& place) {
  return fmt::format("{}.{}.{}", number_of(place.job), place.attempt, place.offset);
}

FollowedLog::FollowedLog(Context& context, LogPlace from, std::function<void()> wake)
    : context_(context), place_(from), wake_(std::move(wake)) {}

void FollowedLog::start() {
  watcher_ = std::make_shared<JobWatch::Watcher>();
  watcher_->changed = [weak = weak_from_this()](JobId) {
    if (const auto self = weak.lock()) self->something_changed();
  };
  context_.job_watch.add(place_.job, watcher_);
  begin();
}

std::string FollowedLog::take_piece() {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("job", number_of(place_.job)).field("attempt", place_.attempt);
  json.field("offset", next_ - ready_.size()).field("next", next_).field("text", ready_);
  json.end_object();
  place_.offset = next_;
  ready_.clear();
  read();
  return out;
}

// It cannot write any more.
bool FollowedLog::attempt_over() const {
  const Job* now = job();
  return now == nullptr || now->attempt != place_.attempt || !now->active();
}

void FollowedLog::something_changed() {
  changed_ = true;
  if (busy_ || failed_) return;  // Looked at when it is done.
  if (file_ == nullptr) return begin();
  if (ready_.empty()) read();
}

void FollowedLog::begin() {
  const Job* now = job();
  if (now == nullptr) return;
  if (std::max(1, place_.attempt) > now->attempt) return;  // something_changed() comes back here.
  open(*now);
}

void FollowedLog::open(const Job& now) {
  busy_ = true;
  changed_ = false;
  const bool fresh = place_.attempt == 0;
  if (fresh) place_.attempt = now.attempt;
  owner_ = now.owner.uid;
  context_.files.post(
      owner_,
      [weak = weak_from_this(), path = output_path_of(now), over = attempt_over(), fresh,
       directory = context_.ports.state_directory, attempt = AttemptId{place_.job, place_.attempt},
       owner = now.owner, offset = place_.offset]() -> Background::Then {
        Result<Opened> opened = Opened{nullptr, offset};
        Result<Fd> file = open_log(directory, attempt, LogStream::kOutput, path, owner);
        if (!file) {
          opened = failure(file.error());
        } else {
          if (fresh) opened->offset = log_tail_offset(file->get(), kLastPart).value_or(0);
          opened->file = std::make_shared<Fd>(std::move(*file));
        }
        return [weak, over, opened = std::move(opened)] {
          if (const auto self = weak.lock()) self->take_file(opened, over);
        };
      });
}

void FollowedLog::take_file(const Result<Opened>& opened, bool was_over) {
  busy_ = false;
  if (!opened) {
    // Its log is made a moment after it was told to start.
    failed_ = opened.error().code != ErrorCode::kNotFound;
    if (failed_) return;
    if (was_over) return next_attempt();
    if (changed_) begin();
    return;
  }
  file_ = opened->file;
  place_.offset = opened->offset;
  auto token = context_.log_watch.watch(file_->get(), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->something_changed();
  });
  if (token) token_ = std::move(*token);
  read();
}

void FollowedLog::read() {
  if (busy_ || failed_ || file_ == nullptr) return;
  busy_ = true;
  changed_ = false;
  // Asked before reading: what an attempt that is over has written is all there.
  const bool over = attempt_over();
  context_.files.post(
      owner_,
      [weak = weak_from_this(), file = file_, at = place_.offset, over]() -> Background::Then {
        Result<LogPiece> piece = read_log(file->get(), at, kLogPieceBytes);
        return [weak, over, piece = std::move(piece)]() mutable {
          const auto self = weak.lock();
          if (!self) return;
          self->busy_ = false;
          self->failed_ = !piece;
          if (piece) self->take_bytes(std::move(piece->bytes), piece->next_offset, over);
        };
      });
}

void FollowedLog::take_bytes(std::string bytes, std::uint64_t next, bool was_over) {
  const std::size_t told = to_be_told(bytes, was_over);
  next -= bytes.size() - told;
  bytes.resize(told);
  if (!bytes.empty()) {
    ready_ = std::move(bytes);
    next_ = next;
    return wake_();
  }
  const bool hole = next > place_.offset;
  place_.offset = std::max(place_.offset, next);
  if (hole || changed_) return read();
  if (was_over) next_attempt();
}

// The next one, where there is or will be one.
void FollowedLog::next_attempt() {
  const Job* now = job();
  if (now == nullptr) return;
  const bool ended = now->ended() && now->attempt == place_.attempt;
  if (ended) return;  // It may be run once more; something_changed() looks again.
  token_.reset();
  file_.reset();
  place_ = {place_.job, place_.attempt + 1, 0};
  begin();
}

}  // namespace gpusched
