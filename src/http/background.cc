#include "http/background.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace gpusched {

struct Background::Shared : std::enable_shared_from_this<Background::Shared> {
  Shared(boost::asio::io_context& io, std::size_t most) : loop(io), threads_most(most) {}

  struct User {
    std::deque<std::function<Then()>> waiting;
    bool busy = false;
  };

  boost::asio::io_context& loop;
  const std::size_t threads_most;
  std::vector<std::thread> threads;  // Belongs to the loop's thread.

  std::mutex mutex;  // Guards what follows.
  std::condition_variable changed;
  std::map<std::uint32_t, User> users;
  std::deque<std::uint32_t> next;  // Users with work of whom no thread is busy, in turn.
  std::size_t working = 0;
  bool stopped = false;

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return stopped || !next.empty(); });
      if (stopped) return;
      const std::uint32_t uid = next.front();
      next.pop_front();
      User& user = users[uid];
      std::function<Then()> work = std::move(user.waiting.front());
      user.waiting.pop_front();
      user.busy = true;
      ++working;
      lock.unlock();
      Then then = work();
      work = nullptr;
      lock.lock();
      --working;
      done_for(uid);
      // Under the lock: once stopped, the loop may be gone.
      if (stopped) return;
      boost::asio::post(loop, [self = weak_from_this(), then = std::move(then)] {
        const auto shared = self.lock();
        if (shared && !shared->is_stopped()) then();
      });
    }
  }

  void done_for(std::uint32_t uid) {
    const auto user = users.find(uid);
    user->second.busy = false;
    if (user->second.waiting.empty()) {
      users.erase(user);
    } else {
      next.push_back(uid);
      changed.notify_one();
    }
  }

  void add(std::uint32_t uid, std::function<Then()> work) {
    const std::lock_guard lock(mutex);
    User& user = users[uid];
    user.waiting.push_back(std::move(work));
    if (user.busy || user.waiting.size() > 1) return;
    next.push_back(uid);
    changed.notify_one();
  }

  // False: there is no thread to be had now.
  bool has_thread() {
    {
      const std::lock_guard lock(mutex);
      const bool enough = working + next.size() < threads.size();
      if (enough || threads.size() == threads_most) return true;
    }
    try {
      threads.emplace_back([self = shared_from_this()] { self->run(); });
    } catch (const std::system_error&) {
      return !threads.empty();
    }
    return true;
  }

  bool is_stopped() {
    const std::lock_guard lock(mutex);
    return stopped;
  }
};

Background::Background(boost::asio::io_context& loop, std::size_t threads)
    : shared_(std::make_shared<Shared>(loop, threads)) {}

Background::~Background() {
  bool stuck = false;
  std::map<std::uint32_t, Shared::User> dropped;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stopped = true;
    stuck = shared_->working > 0;
    for (auto& [uid, user] : shared_->users) dropped[uid].waiting.swap(user.waiting);
    shared_->next.clear();
  }
  shared_->changed.notify_all();
  for (std::thread& thread : shared_->threads) {
    if (stuck) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

void Background::post(std::uint32_t uid, std::function<Then()> work) {
  if (!shared_->has_thread()) {
    // At a limit of processes: others wait for a moment, which is better than no answer at all.
    boost::asio::post(shared_->loop, [self = std::weak_ptr(shared_), work = std::move(work)] {
      const auto shared = self.lock();
      if (shared && !shared->is_stopped()) work()();
    });
    return;
  }
  shared_->add(uid, std::move(work));
}

bool Background::post_aside(std::uint32_t uid, std::function<Then()> work) {
  if (!shared_->has_thread()) return false;
  shared_->add(uid, std::move(work));
  return true;
}

}  // namespace gpusched
