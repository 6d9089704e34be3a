#include "http/loop_turns.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace gpusched {
namespace {

// Then sockets are looked at: somebody who had less may have come. Long enough for many small
// requests, so that what they bring shares a commit.
constexpr Microseconds kSlice{2000};
// What was used counts half after this.
constexpr Microseconds kHalfLife{100'000};
constexpr Microseconds kNothing{50};

}  // namespace

LoopTurns::LoopTurns(boost::asio::io_context& loop, std::function<Now()> now)
    : loop_(loop), now_(std::move(now)) {}

void LoopTurns::give(std::uint32_t uid, Work work) {
  soon_[uid].push_back(std::move(work));
  if (!std::exchange(posted_, true)) post_next();
}

void LoopTurns::post_next() {
  boost::asio::post(loop_, [this, lives = std::weak_ptr(lives_)] {
    if (!lives.expired()) next();
  });
}

void LoopTurns::next() {
  run(soon_, [] { return true; });
  posted_ = !soon_.empty();
  if (posted_) post_next();
}

void LoopTurns::run(Waiting& waiting, const std::function<bool()>& may) {
  const Boot begin = now_().boot;
  forget_some(begin);
  while (!waiting.empty() && may()) {
    run_one(waiting);
    if (now_().boot - begin >= kSlice) return;
  }
}

void LoopTurns::run_one(Waiting& waiting) {
  auto least = waiting.begin();
  Microseconds had = Microseconds::max();
  for (auto user = waiting.begin(); user != waiting.end(); ++user) {
    const auto used = used_.find(user->first);
    const Microseconds his = used == used_.end() ? Microseconds{0} : used->second;
    if (his >= had) continue;
    had = his;
    least = user;
  }
  const std::uint32_t uid = least->first;
  const Work work = std::move(least->second.front());
  least->second.pop_front();
  if (least->second.empty()) waiting.erase(least);
  const Boot begin = now_().boot;
  work();
  // Never nothing: of two who use little, the one who comes more often waits.
  used_[uid] += std::max(Microseconds{1}, now_().boot - begin);
}

void LoopTurns::forget_some(Boot now) {
  if (now - forgotten_at_ < kHalfLife) return;
  forgotten_at_ = now;
  for (auto& [uid, used] : used_) used /= 2;
  std::erase_if(used_, [](const auto& one) { return one.second < kNothing; });
}

}  // namespace gpusched
