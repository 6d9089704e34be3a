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

// The daemon sends a comment every 15 s: three missing ones mean that it is gone. If not even the
// first one comes, something on the way keeps it back.
constexpr ChangeFeed::Pace kUsual{std::chrono::seconds{25}, std::chrono::seconds{50},
                                  std::chrono::seconds{2}};
// For who must not wait.
constexpr std::chrono::milliseconds kFirstAnswerMost{1'000};
constexpr std::chrono::milliseconds kFarFirstAnswerMost{5'000};

}  // namespace

ChangeFeed::ChangeFeed(const Client& client, std::string jobs, std::string after,
                       WhenLost when_lost)
    : client_(client),
      jobs_(std::move(jobs)),
      last_id_(std::move(after)),
      when_lost_(when_lost),
      pace_(kUsual) {}

Result<void> ChangeFeed::connect(Stage& stage) {
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
  std::chrono::milliseconds head = client_.on_network() ? client_.head_of_stream() : pace_.silence;
  if (when_lost_ == WhenLost::kSays) {
    head = client_.far() ? kFarFirstAnswerMost : kFirstAnswerMost;
  }
  auto exchange = client_.open_once(request, {head, pace_.silence}, &stage);
  if (!exchange) return failure(exchange.error());
  exchange_.emplace(std::move(*exchange));
  parser_ = {};
  heard_ = read_clock().boot;
  heard_any_ = false;
  auto with_head = exchange_->read_buffered();
  if (!with_head) return failure(with_head.error());
  heard_any_ = !with_head->empty();
  take(*with_head);
  return {};
}

Result<void> ChangeFeed::open() {
  Patience patience = client_.patience(kBrieflyMost);
  while (true) {
    Stage stage = Stage::kConnecting;
    auto opened = connect(stage);
    if (opened || !is_away(opened.error())) return opened;
    if (stage == Stage::kSilent && client_.on_network() && ask_instead()) return {};
    const bool waits = client_.on_network() && when_lost_ == WhenLost::kConnectsAgain;
    if (!waits || !patience.wait_a_moment()) return opened;
  }
}

// From here on no change is missed. An error: it does not answer to that either.
Result<void> ChangeFeed::ask_instead() {
  if (when_lost_ == WhenLost::kSays) {
    auto there = client_.call_once({.target = "/v1/version"}, kFarFirstAnswerMost);
    if (!there) return failure(there.error());
  }
  const auto first = reconnected_ ? AskedChanges::First::kPicture : AskedChanges::First::kNothing;
  asked_.emplace(client_, jobs_, first);
  if (when_lost_ == WhenLost::kSays) return {};
  auto rows = asked_->look();
  asked_at_ = read_clock().boot;
  if (!rows) {
    asked_.reset();
    return failure(rows.error());
  }
  exchange_.reset();
  for (StreamEvent& event : *rows) pending_.push_back(std::move(event));
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
    Stage stage = Stage::kConnecting;
    auto opened = connect(stage);
    if (opened || !is_away(opened.error())) return opened;
    if (stage == Stage::kSilent && client_.on_network() && ask_instead()) return {};
  } while (patience.wait_a_moment());
  return failure(ErrorCode::kUnavailable, "the daemon did not come back in time");
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

std::optional<ChangeFeed::Next> ChangeFeed::take_pending() {
  if (pending_.empty()) return std::nullopt;
  Next next{Woken::kChange, std::move(pending_.front())};
  pending_.pop_front();
  return next;
}

namespace {

// How many of these have something to read; 0: `until` has come, or a signal.
Result<int> await_any(pollfd* entries, nfds_t count, Boot until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      std::min<Microseconds>(until - read_clock().boot, std::chrono::hours{1}));
  const int ready =
      ::poll(entries, count, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  if (ready >= 0 || errno == EINTR) return std::max(ready, 0);
  return failure(ErrorCode::kIo, std::string("wait for changes: ") + std::strerror(errno));
}

}  // namespace

// Who must not wait asks anyway.
Result<ChangeFeed::Next> ChangeFeed::next_asked(Boot deadline, int other_fd, int another_fd) {
  while (true) {
    if (auto next = take_pending()) return *next;
    const bool asks = when_lost_ == WhenLost::kConnectsAgain;
    const Boot due = asks ? asked_at_ + pace_.ask_every : Boot::max();
    pollfd entries[2] = {{other_fd, POLLIN, 0}, {another_fd, POLLIN, 0}};
    auto ready = await_any(entries, 2, std::min(deadline, due));
    if (!ready) return failure(ready.error());
    if (*ready > 0) return Next{Woken::kOther};
    const Boot now = read_clock().boot;
    if (now >= due) {
      auto changes = asked_->look();
      asked_at_ = read_clock().boot;
      if (!changes) return failure(changes.error());
      for (StreamEvent& event : *changes) pending_.push_back(std::move(event));
    } else if (now >= deadline) {
      return Next{Woken::kTime};
    }
  }
}

// What has come. True: by another connection from here on.
Result<bool> ChangeFeed::take_more() {
  heard_ = read_clock().boot;
  auto bytes = exchange_->read_within(std::chrono::milliseconds{0});
  if (bytes) {
    heard_any_ = heard_any_ || !bytes->empty();
    take(*bytes);
  }
  if (bytes && !exchange_->ended()) return false;
  if (!bytes && !is_away(bytes.error())) return failure(bytes.error());
  if (!pending_.empty() || farewell_) return false;
  if (auto again = reconnect(); !again) return failure(again.error());
  return true;
}

Result<ChangeFeed::Next> ChangeFeed::next(std::chrono::milliseconds timeout, int other_fd,
                                          int another_fd) {
  const Boot deadline = timeout.count() >= 0 ? read_clock().boot + timeout : Boot::max();
  while (true) {
    if (asked_) return next_asked(deadline, other_fd, another_fd);
    if (auto next = take_pending()) return *next;
    // What was allowed before no longer is: to ask again would bring the same.
    if (farewell_) return failure(*farewell_);
    const bool first = client_.on_network() && !heard_any_;
    const Boot silent = heard_ + (first ? pace_.first : pace_.silence);
    pollfd entries[3] = {
        {exchange_->fd(), POLLIN, 0}, {other_fd, POLLIN, 0}, {another_fd, POLLIN, 0}};
    auto ready = await_any(entries, 3, std::min(deadline, silent));
    if (!ready) return failure(ready.error());
    if (entries[1].revents != 0 || entries[2].revents != 0) return Next{Woken::kOther};
    if (*ready > 0) {
      auto again = take_more();
      if (!again) return failure(again.error());
      if (*again) return Next{Woken::kTime};  // Something may have changed meanwhile.
      continue;
    }
    const Boot now = read_clock().boot;
    if (now >= silent) {
      if (!first || !ask_instead()) {
        if (auto again = reconnect(); !again) return failure(again.error());
      }
      return Next{Woken::kTime};
    }
    if (now >= deadline) return Next{Woken::kTime};
  }
}

bool ChangeFeed::take_reconnected() { return std::exchange(reconnected_, false); }

}  // namespace gpusched
