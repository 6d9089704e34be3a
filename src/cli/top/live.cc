#include "cli/top/live.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "cli/render/render.h"
#include "cli/session.h"
#include "os/clock.h"

namespace gpusched::cli::top {
namespace {

constexpr std::chrono::milliseconds kCardsEvery{1000};
constexpr std::chrono::milliseconds kJobsAtMostEvery{250};
constexpr std::chrono::milliseconds kJobsAtLeastEvery{5000};
constexpr std::chrono::milliseconds kConnectEvery{1000};
// A daemon that is busy answers within milliseconds; one that hangs must not take the keys along.
constexpr std::chrono::milliseconds kPatience{1000};
// Over a network the handshake alone may take as long.
constexpr std::chrono::milliseconds kFarLook{5000};
// A cancel is answered when it is on disk.
constexpr std::chrono::milliseconds kChangePatience{5000};
constexpr std::string_view kOverview = "/v1/overview?waiting=500";

// What an order is in the API, and what is said when it is done.
struct Wording {
  std::string action;
  std::string one;   // "Job 7 …"
  std::string many;  // "Sweep 134: 3 jobs …"
};

Wording wording_of(const Order& order) {
  switch (order.what) {
    case Order::What::kNothing:
    case Order::What::kQuit:
    case Order::What::kRefresh:
      break;
    case Order::What::kCancel:
      return {"cancel", "is being cancelled", "are being cancelled"};
    case Order::What::kHold:
      return {"hold", "is held", "are held"};
    case Order::What::kRelease:
      return {"release", "is released", "are released"};
    case Order::What::kPause:
      return {"pause", "is being moved aside", "are being moved aside"};
    case Order::What::kResume:
      return {"resume", "returns when there is room", "return when there is room"};
    case Order::What::kPriority: {
      const std::string words =
          fmt::format("priority {} now, {} before", order.priority, order.before);
      return {"", "has " + words, "have " + words};
    }
  }
  return {};
}

Request request_of(const Order& order, const std::string& action) {
  const std::string jobs = order.sweep ? "all" : std::to_string(order.job);
  Request request{
      .method = "POST", .target = fmt::format("/v1/jobs/{}/{}", jobs, action), .body = "{}"};
  if (action.empty()) {
    request = {.method = "PATCH",
               .target = "/v1/jobs/" + jobs,
               .body = fmt::format("{{\"priority\":{}}}", order.priority)};
  }
  if (order.sweep) request.target += fmt::format("?array={}", order.job);
  return request;
}

std::string outcome(const ChangedView& changed, const Order& order, const Wording& wording) {
  const std::string who = fmt::format("{} {}", order.sweep ? "Sweep" : "Job", order.job);
  if (!changed.changed.empty()) {
    if (!order.sweep) return fmt::format("{} {}.", who, wording.one);
    const std::uint64_t count = changed.changed.size();
    return fmt::format("{}: {} {}.", who, counted(count, "job", "jobs"),
                       count == 1 ? wording.one : wording.many);
  }
  if (!changed.unchanged.empty()) {
    return fmt::format("{} stays as it is: {}", who, changed.unchanged.front().second);
  }
  return fmt::format("{} stays as it is{}.", who, order.sweep ? ": none of its jobs is yours" : "");
}

}  // namespace

Result<std::string> LiveFacts::ask(const Request& request) const {
  return client_.call_once(request, client_.far() ? kFarLook : kPatience);
}

void LiveFacts::hurry() {
  cards_due_ = jobs_due_ = connect_due_ = Boot{};
  jobs_changed_ = true;
}

void LiveFacts::lost(State& state, Boot now) {
  feed_.reset();
  if (!state.away_since) state.away_since = read_clock().wall;
  connect_due_ = now + kConnectEvery;
}

bool LiveFacts::connect(State& state, Boot now) {
  if (feed_) return true;
  if (now < connect_due_) return false;
  // From now on is enough: the picture of all jobs is asked for after that.
  feed_.emplace(client_, "", "", ChangeFeed::WhenLost::kSays);
  if (auto opened = feed_->open(); !opened) {
    if (!is_away(opened.error())) state.message = opened.error().message;
    lost(state, now);
    return false;
  }
  state.away_since.reset();
  hurry();
  return true;
}

void LiveFacts::refresh(State& state) {
  const Boot now = read_clock().boot;
  if (!connect(state, now)) return;
  if (now >= cards_due_) {
    cards_due_ = now + kCardsEvery;
    auto body = ask({.target = "/v1/gpus"});
    if (!body && is_away(body.error())) return lost(state, now);
    auto view = body ? parse_gpus(*body) : failure(body.error());
    if (view) take_cards(state, std::move(*view));
    if (!view) state.message = view.error().message;
  }
  if ((jobs_changed_ && now >= jobs_due_) || now >= jobs_stale_) {
    jobs_changed_ = false;
    jobs_due_ = now + kJobsAtMostEvery;
    jobs_stale_ = now + kJobsAtLeastEvery;
    auto body = ask({.target = fmt::format("{}&sweeps={}", kOverview, state.expanded ? 0 : 1)});
    if (!body && is_away(body.error())) return lost(state, now);
    auto view = body ? parse_overview(*body) : failure(body.error());
    if (view) take_jobs(state, std::move(*view));
    if (!view) state.message = view.error().message;
  }
}

void LiveFacts::wait(int input_fd, bool paused) {
  const Boot now = read_clock().boot;
  Boot until = connect_due_;
  if (feed_) until = std::min(cards_due_, jobs_changed_ ? jobs_due_ : jobs_stale_);
  if (paused) until = Boot::max();
  // At least once a second: the clock on the screen goes on.
  until = std::clamp(until, now, now + kCardsEvery);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
  if (!feed_) {
    pollfd entry{input_fd, POLLIN, 0};
    ::poll(&entry, 1, static_cast<int>(left.count()));
    return;
  }
  auto next = feed_->next(left, input_fd);
  // Changes that have come together are one; what they say is asked for anyway.
  while (next && next->by == ChangeFeed::Woken::kChange) {
    jobs_changed_ = true;
    next = feed_->next(std::chrono::milliseconds(0), input_fd);
  }
  if (!next) {  // refresh() finds out what became of the daemon.
    feed_.reset();
    connect_due_ = Boot{};
  }
}

void LiveFacts::carry_out(const Order& order, State& state) {
  if (order.what == Order::What::kNothing || order.what == Order::What::kQuit) return;
  if (order.what == Order::What::kRefresh) return hurry();
  const Wording wording = wording_of(order);
  auto body = client_.call(request_of(order, wording.action), kChangePatience);
  auto changed = body ? parse_changed(*body) : failure(body.error());
  state.message = changed ? outcome(*changed, order, wording) : changed.error().message;
  jobs_changed_ = true;
}

}  // namespace gpusched::cli::top
