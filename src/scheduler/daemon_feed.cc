#include "scheduler/daemon_feed.h"

#include <algorithm>
#include <utility>

#include "os/clock.h"
#include "scheduler/daemon_line.h"

namespace gpusched::library {
namespace {

constexpr Microseconds kRestAfter = Seconds{1};
constexpr Microseconds kOneWait = Seconds{3600};

}  // namespace

DaemonFeed::DaemonFeed(std::vector<std::string> sockets, std::string target, NumberOf number_of)
    : client_(std::move(sockets)), target_(std::move(target)), number_of_(std::move(number_of)) {}

DaemonFeed::Place::Place(DaemonFeed& feed, std::uint64_t number) : feed_(feed), number_(number) {
  const std::lock_guard lock(feed_.mutex_);
  feed_.places_.push_back(this);
}

DaemonFeed::Place::~Place() {
  const std::lock_guard lock(feed_.mutex_);
  feed_.places_.remove(this);
}

void DaemonFeed::close() {
  open_.set(-1);
  stream_.reset();
}

Result<std::uint64_t> DaemonFeed::open() {
  std::unique_lock lock(mutex_);
  opened_.wait(lock, [this] { return !opening_; });
  used_ = read_clock().boot;
  if (stream_) return number_of_stream_;
  opening_ = true;
  lock.unlock();
  Result<LineStream> stream = LineStream::open(client_, target_, kDaemonPatience);
  lock.lock();
  opening_ = false;
  opened_.notify_all();
  if (!stream) return failure(stream.error());
  stream_ = std::make_shared<LineStream>(std::move(*stream));
  open_.set(stream_->fd());
  return ++number_of_stream_;
}

DaemonFeed::Came DaemonFeed::next(Place& place, std::uint64_t stream, Boot deadline,
                                  std::string& line) {
  std::unique_lock lock(mutex_);
  place.waits_ = true;
  const auto leave = [&](Came came) {
    place.waits_ = false;
    used_ = read_clock().boot;
    hand_over(place);
    return came;
  };
  while (true) {
    if (place.line_) {
      line = std::move(*std::exchange(place.line_, std::nullopt));
      return leave(Came::kLine);
    }
    if (!stream_ || number_of_stream_ != stream) return leave(Came::kBroken);
    const Boot now = read_clock().boot;
    if (now >= deadline) return leave(Came::kLate);
    const Microseconds most = std::min(deadline - now, kOneWait);
    if (reading_) {
      place.wake_.wait_for(lock, most);
    } else {
      read_for_all(lock, most);
    }
  }
}

void DaemonFeed::read_for_all(std::unique_lock<std::mutex>& lock, Microseconds most) {
  reading_ = true;
  const std::shared_ptr<LineStream> stream = stream_;
  lock.unlock();
  // Rounded up, so that nobody asks again and again in the last millisecond.
  auto lines = stream->lines(std::chrono::ceil<std::chrono::milliseconds>(most));
  lock.lock();
  reading_ = false;
  if (!lines) {
    close();
    for (Place* place : places_) place->wake_.notify_one();
    return;
  }
  for (const std::string& line : *lines) {
    const std::optional<std::uint64_t> number = number_of_(line);
    for (Place* place : places_) {
      if (!number || place->number_ != *number) continue;
      place->line_ = line;
      place->wake_.notify_one();
    }
  }
}

void DaemonFeed::hand_over(const Place& from) {
  if (reading_) return;
  const auto next = std::ranges::find_if(
      places_, [&](const Place* place) { return place != &from && place->waits_; });
  if (next != places_.end()) (*next)->wake_.notify_one();
}

void DaemonFeed::rest() {
  const std::lock_guard lock(mutex_);
  if (!stream_ || reading_ || opening_ || !places_.empty()) return;
  if (read_clock().boot - used_ > kRestAfter) close();
}

}  // namespace gpusched::library
