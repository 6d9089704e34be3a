#include "client/change_feed.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "json/error_json.h"
#include "os/clock.h"

namespace gpusched {
namespace {

// The daemon sends a comment every 15 s: three missing ones mean that it is gone.
constexpr std::chrono::milliseconds kSilenceMost{50'000};
// For who must not wait.
constexpr std::chrono::milliseconds kFirstAnswerMost{1'000};

}  // namespace

ChangeFeed::ChangeFeed(const Client& client, std::string jobs, std::string after,
                       WhenLost when_lost)
    : client_(client), jobs_(std::move(jobs)), last_id_(std::move(after)), when_lost_(when_lost) {}

Result<void> ChangeFeed::open() {
  Request request{.target = "/v1/events"};
  char mark = '?';
  if (!jobs_.empty()) {
    request.target += fmt::format("{}jobs={}", mark, percent_encoded(jobs_));
    mark = '&';
  }
  if (!last_id_.empty()) {
    request.target += fmt::format("{}after={}", mark, percent_encoded(last_id_));
    request.headers.emplace_back("Last-Event-ID", last_id_);
  }
  auto exchange =
      client_.open(request, when_lost_ == WhenLost::kSays ? kFirstAnswerMost : kSilenceMost);
  if (!exchange) return failure(exchange.error());
  exchange_.emplace(std::move(*exchange));
  parser_ = {};
  heard_ = read_clock().boot;
  auto with_head = exchange_->read_buffered();
  if (!with_head) return failure(with_head.error());
  take(*with_head);
  return {};
}

Result<void> ChangeFeed::reconnect() {
  if (when_lost_ != WhenLost::kConnectsAgain) {
    return failure(ErrorCode::kUnavailable, "the daemon closed the stream of events");
  }
  Patience patience = client_.patience();
  exchange_.reset();
  reconnected_ = true;
  // Nothing seen yet, and something may have happened: ask for the picture of all jobs.
  if (last_id_.empty()) last_id_ = "0";
  do {  // At once: a client that fell behind is dropped by a daemon that is well.
    auto opened = open();
    if (opened || !is_away(opened.error())) return opened;
  } while (patience.wait_a_moment());
  return failure(ErrorCode::kUnavailable, "the daemon did not come back within 30 s");
}

void ChangeFeed::take(std::string_view bytes) {
  for (StreamEvent& event : parser_.feed(bytes)) {
    if (event.kind == "bye") {
      farewell_ = read_error(event.data, 401);
    } else {
      pending_.push_back(std::move(event));
    }
  }
  if (!parser_.last_id().empty()) last_id_ = parser_.last_id();
}

Result<ChangeFeed::Next> ChangeFeed::next(std::chrono::milliseconds timeout, int other_fd,
                                          int another_fd) {
  const Boot deadline = read_clock().boot + timeout;
  while (true) {
    if (!pending_.empty()) {
      Next next{Woken::kChange, std::move(pending_.front())};
      pending_.pop_front();
      return next;
    }
    // What was allowed before no longer is: to ask again would bring the same.
    if (farewell_) return failure(*farewell_);
    const Boot silent = heard_ + kSilenceMost;
    const Boot until = timeout.count() >= 0 ? std::min(deadline, silent) : silent;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - read_clock().boot);
    const int wait_ms = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    pollfd entries[3] = {
        {exchange_->fd(), POLLIN, 0}, {other_fd, POLLIN, 0}, {another_fd, POLLIN, 0}};
    const int ready = ::poll(entries, 3, wait_ms);
    if (ready < 0 && errno != EINTR) {
      return failure(ErrorCode::kIo, std::string("wait for changes: ") + std::strerror(errno));
    }
    if (ready == 0 && until == silent) {
      if (auto again = reconnect(); !again) return failure(again.error());
    }
    if (ready == 0) return Next{Woken::kTime};
    const bool other = entries[1].revents != 0 || entries[2].revents != 0;
    if (ready > 0 && other) return Next{Woken::kOther};
    if (ready < 0) continue;
    heard_ = read_clock().boot;
    auto bytes = exchange_->read_within(std::chrono::milliseconds{0});
    if (bytes) take(*bytes);
    if (bytes && !exchange_->ended()) continue;
    if (!bytes && !is_away(bytes.error())) return failure(bytes.error());
    if (!pending_.empty()) continue;
    if (auto again = reconnect(); !again) return failure(again.error());
    return Next{Woken::kTime};  // Something may have changed meanwhile.
  }
}

bool ChangeFeed::take_reconnected() { return std::exchange(reconnected_, false); }

}  // namespace gpusched
