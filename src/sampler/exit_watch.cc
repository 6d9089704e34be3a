#include "sampler/exit_watch.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/check.h"

namespace gpusched {

ExitWatch::ExitWatch(std::function<void(CardNumber, int pid)> ended)
    : ended_(std::move(ended)), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  CHECK(epoll_.valid());
}

bool ExitWatch::watch(int pid, Watched& watched) {
  if (watched.process) return true;
  const long opened = ::syscall(SYS_pidfd_open, pid, 0);
  // Out of descriptors, or an old kernel: then its end is seen a period later.
  if (opened < 0) return errno != ESRCH;
  watched.process.reset(static_cast<int>(opened));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<std::uint64_t>(pid);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, watched.process.get(), &event) != 0) {
    watched.process.reset();
  }
  return true;
}

bool ExitWatch::watches(int pid) {
  const std::lock_guard lock(mutex_);
  const auto found = by_pid_.find(pid);
  return found != by_pid_.end() && found->second.process.valid();
}

std::vector<int> ExitWatch::set_listed(CardNumber card, const std::vector<int>& pids) {
  std::vector<int> gone;
  const std::lock_guard lock(mutex_);
  for (const int pid : pids) {
    Watched& watched = by_pid_[pid];
    const bool new_here = watched.cards.insert(card).second;
    // Its end was told to the cards that had listed it by then.
    if (watched.ended && new_here) gone.push_back(pid);
    if (watched.ended || watch(pid, watched)) continue;
    watched.ended = true;
    gone.push_back(pid);
  }
  for (auto at = by_pid_.begin(); at != by_pid_.end();) {
    if (std::ranges::find(pids, at->first) == pids.end()) at->second.cards.erase(card);
    at = at->second.cards.empty() ? by_pid_.erase(at) : std::next(at);
  }
  return gone;
}

void ExitWatch::collect() {
  std::array<epoll_event, 64> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  std::vector<std::pair<CardNumber, int>> ended;
  {
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < count; ++i) {
      const int pid = static_cast<int>(events[static_cast<std::size_t>(i)].data.u64);
      const auto found = by_pid_.find(pid);
      if (found == by_pid_.end() || found->second.ended) continue;
      found->second.ended = true;
      found->second.process.reset();
      for (const CardNumber card : found->second.cards) ended.emplace_back(card, pid);
    }
  }
  for (const auto& [card, pid] : ended) ended_(card, pid);
}

}  // namespace gpusched
