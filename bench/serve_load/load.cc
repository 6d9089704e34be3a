#include "load.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace gpusched {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Result<std::unique_ptr<Connection>> Load::open() {
  constexpr std::uint32_t kFirst = 0x7f010001;  // 127.1.0.1
  const std::uint32_t from = plan_.addresses == 0 ? 0 : kFirst + opened_++ % plan_.addresses;
  return Connection::open(plan_.port, from, tls_);
}

Result<void> Load::open_worker(std::size_t number) {
  auto opened = open();
  if (!opened) return failure(opened.error());
  Worker& worker = workers_[number];
  worker.connection = std::move(*opened);
  worker.number = number;
  worker.busy = false;
  worker.connection->answers().on_answer = [this, number](const ReadAnswer& answer) {
    answered(number, answer.status, answer.bytes, answer.beginning);
  };
  idle_.push_back(number);
  return {};
}

Result<void> Load::open_stream(const std::string& target) {
  auto opened = open();
  if (!opened) return failure(opened.error());
  Connection& stream = **opened;
  stream.send(request_text(plan_, {.method = "GET", .target = target}, streams_.size()));
  stream.answers().on_piece = [this](std::string_view piece) {
    result_.stream_bytes += piece.size();
    for (std::size_t at = 0; (at = piece.find("\nid:", at)) != piece.npos; ++at) ++result_.events;
  };
  stream.answers().on_answer = [this](const ReadAnswer& answer) {
    ++result_.streams_ended;
    if (result_.first_fault.empty()) result_.first_fault = "a stream ended: " + answer.beginning;
  };
  streams_.push_back(std::move(*opened));
  return {};
}

Result<void> Load::connect() {
  if (plan_.tls) {
    auto made = TlsContext::of_client();
    if (!made) return failure(made.error());
    tls_ = *made;
  }
  workers_.resize(static_cast<std::size_t>(plan_.connections));
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (auto opened = open_worker(i); !opened) return opened;
  }
  for (const Followers& crowd : plan_.streams) {
    for (int i = 0; i < crowd.count; ++i) {
      if (auto opened = open_stream(crowd.target); !opened) return opened;
      if (!streams_.back()->go_on()) return failure(ErrorCode::kUnavailable, "a stream broke");
    }
  }
  const auto add_silent = [this](const std::string& text) -> Result<void> {
    auto opened = open();
    if (!opened) return failure(opened.error());
    (*opened)->send(text);
    (void)(*opened)->go_on();  // Only sends: the answer is never fetched.
    silent_.push_back(std::move(*opened));
    return {};
  };
  for (const Followers& crowd : plan_.stalled) {
    const std::string text = request_text(plan_, {.method = "GET", .target = crowd.target}, 0);
    for (int i = 0; i < crowd.count; ++i) {
      if (auto added = add_silent(text); !added) return added;
    }
  }
  for (int i = 0; i < plan_.halves; ++i) {
    if (auto added = add_silent("GET /v1/version HTTP/1.1\r\nHost"); !added) return added;
  }
  return {};
}

void Load::take_due(std::int64_t now) {
  for (std::size_t i = 0; i < next_.size(); ++i) {
    const auto step = static_cast<std::int64_t>(1e9 / plan_.asks[i].rate);
    for (; next_[i] <= now; next_[i] += step) waiting_.push_back({i, next_[i]});
  }
}

void Load::hand_out() {
  while (!waiting_.empty() && !idle_.empty()) {
    Worker& worker = workers_[idle_.back()];
    idle_.pop_back();
    worker.due = waiting_.front();
    waiting_.pop_front();
    worker.busy = true;
    worker.connection->send(request_text(plan_, plan_.asks[worker.due.ask], worker.number));
    look_at(worker.number);
  }
}

void Load::answered(std::size_t number, int status, std::size_t bytes,
                    const std::string& beginning) {
  Worker& worker = workers_[number];
  if (!worker.busy) return;
  worker.busy = false;
  Counted& counted = result_.by_ask[plan_.asks[worker.due.ask].name];
  counted.latencies.add(now_ns() - worker.due.at);
  counted.bytes += bytes;
  ++counted.by_status[status];
  if (status >= 400 && result_.first_fault.empty()) result_.first_fault = beginning;
  idle_.push_back(number);
}

void Load::look_at(std::size_t number) {
  Worker& worker = workers_[number];
  if (worker.connection->go_on()) return;
  if (worker.busy) {
    answered(number, 0, 0, "");
  }
  std::erase(idle_, number);
  if (auto opened = open_worker(number); !opened && result_.first_fault.empty()) {
    result_.first_fault = opened.error().message;
  }
}

void Load::wait_until(std::int64_t until) {
  std::vector<pollfd> entries;
  entries.reserve(workers_.size() + streams_.size());
  for (const Worker& worker : workers_) {
    entries.push_back({worker.connection->descriptor(), worker.connection->wants(), 0});
  }
  for (const auto& stream : streams_) {
    entries.push_back({stream ? stream->descriptor() : -1, POLLIN, 0});
  }
  const std::int64_t left = std::clamp<std::int64_t>(until - now_ns(), 0, 1'000'000'000);
  const timespec most{left / 1'000'000'000, left % 1'000'000'000};
  if (::ppoll(entries.data(), entries.size(), &most, nullptr) <= 0) return;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (entries[i].revents != 0) look_at(i);
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    auto& stream = streams_[i];
    if (!stream || entries[workers_.size() + i].revents == 0 || stream->go_on()) continue;
    stream.reset();
    ++result_.streams_ended;
  }
}

LoadResult Load::run() {
  const std::int64_t begin = now_ns();
  const auto end = begin + static_cast<std::int64_t>(plan_.seconds * 1e9);
  next_.assign(plan_.asks.size(), begin);
  // Those of one rate do not all begin at once.
  for (std::size_t i = 0; i < next_.size(); ++i) {
    next_[i] += static_cast<std::int64_t>(1e9 / plan_.asks[i].rate) * static_cast<int>(i + 1) /
                static_cast<int>(next_.size() + 1);
  }
  for (std::int64_t now = begin; now < end; now = now_ns()) {
    take_due(now);
    hand_out();
    const auto soonest = std::min_element(next_.begin(), next_.end());
    wait_until(std::min(end, soonest == next_.end() ? end : *soonest));
  }
  for (const Due& late : waiting_) ++result_.by_ask[plan_.asks[late.ask].name].by_status[-1];
  result_.seconds = static_cast<double>(now_ns() - begin) / 1e9;
  return std::move(result_);
}

}  // namespace gpusched
