#include "watch/powermetrics_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/text.h"
#include "watch/numbers.h"

namespace gpusched::watch {
namespace {

constexpr std::size_t kMostErrorText = 4096;

enum class Read { kSome, kNothing, kEnd };

Read read_some(int fd, std::string& bytes) {
  std::array<char, 16384> buffer{};
  const ssize_t size = ::read(fd, buffer.data(), buffer.size());
  if (size > 0) bytes.append(buffer.data(), static_cast<std::size_t>(size));
  if (size > 0) return Read::kSome;
  return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? Read::kNothing
                                                                                 : Read::kEnd;
}

std::string_view last_line(std::string_view text) {
  text = trimmed(text);
  const std::size_t line = text.rfind('\n');
  return line == std::string_view::npos ? text : trimmed(text.substr(line + 1));
}

}  // namespace

PowermetricsStream::PowermetricsStream(std::string program, const Host& host,
                                       const PowermetricsTiming& timing)
    : program_(std::move(program)), host_(host), timing_(timing) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe(ends.data()) == 0) {
    stop_reader_.reset(ends[0]);
    stop_writer_.reset(ends[1]);
    ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    thread_ = std::thread([this] { follow(); });
  } else {
    trouble_ = "no descriptor is left to follow powermetrics";
  }
}

PowermetricsStream::~PowermetricsStream() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_writer_.reset();
  if (thread_.joinable()) thread_.join();
}

bool PowermetricsStream::stopping() {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

Result<PowermetricsStream::Latest> PowermetricsStream::latest() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, timing_.first_answer, [&] { return latest_ || !trouble_.empty(); });
  if (latest_ && host_.now() - latest_->at <= timing_.silence) return *latest_;
  const std::string why = !trouble_.empty() ? trouble_ : "it has not said anything for a while";
  return failure(ErrorCode::kUnavailable, fmt::format("powermetrics: {}", why));
}

void PowermetricsStream::follow() {
  auto pause = timing_.first_pause;
  while (!stopping()) {
    const Boot started = host_.now();
    const std::string why = run_once();
    if (stopping()) return;
    {
      const std::lock_guard lock(mutex_);
      trouble_ = why;
    }
    changed_.notify_all();
    // One that had run well for a while is not punished for the failures of long ago.
    if (host_.now() - started > timing_.longest_pause) pause = timing_.first_pause;
    pollfd stop{stop_reader_.get(), POLLIN, 0};
    ::poll(&stop, 1, static_cast<int>(pause.count()));
    pause = std::min(pause * 2, timing_.longest_pause);
  }
}

std::string PowermetricsStream::run_once() {
  auto child = Child::start({program_, "--samplers", "gpu_power", "-f", "plist", "-i",
                             std::to_string(timing_.interval.count())});
  if (!child) return child.error().message;
  PlistStream stream;
  std::string errors;
  int errors_end = child->errors();
  auto patience = std::max(timing_.first_answer, timing_.silence);
  for (;;) {
    std::array<pollfd, 3> ends{
        {{stop_reader_.get(), POLLIN, 0}, {child->output(), POLLIN, 0}, {errors_end, POLLIN, 0}}};
    const int ready = ::poll(ends.data(), ends.size(), static_cast<int>(patience.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return "it was silent and has been ended";
    if (ends[0].revents != 0) return "we stop";
    std::string bytes;
    const Read output = read_some(child->output(), bytes);
    if (errors_end >= 0 && read_some(errors_end, errors) == Read::kEnd) errors_end = -1;
    if (errors.size() > kMostErrorText) errors.erase(0, errors.size() - kMostErrorText);
    take(bytes, stream);
    if (!bytes.empty()) patience = timing_.silence;
    if (output == Read::kEnd) break;
  }
  // What it still had to say about its end.
  while (read_some(child->errors(), errors) == Read::kSome) {
  }
  const std::string_view said = last_line(errors);
  return said.empty() ? "it ended without a word" : std::string(said);
}

void PowermetricsStream::take(std::string_view bytes, PlistStream& stream) {
  for (const std::string& plist : stream.take(bytes)) {
    auto reading = parse_powermetrics(plist);
    const std::lock_guard lock(mutex_);
    if (!reading) {
      trouble_ = reading.error().message;
      changed_.notify_all();
      continue;
    }
    const auto before = latest_ ? latest_->energy_joules : std::nullopt;
    Latest next{std::move(*reading), before, host_.now()};
    if (next.reading.energy_joules) {
      next.energy_joules = before.value_or(0) + *next.reading.energy_joules;
    }
    latest_ = std::move(next);
    trouble_.clear();
    changed_.notify_all();
  }
}

}  // namespace gpusched::watch
