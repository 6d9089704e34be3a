#include "api/background.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace gpusched {

struct Background::Shared : std::enable_shared_from_this<Background::Shared> {
  explicit Shared(boost::asio::io_context& io) : loop(io) {}

  boost::asio::io_context& loop;
  std::thread thread;

  std::mutex mutex;  // Guards what follows.
  std::condition_variable changed;
  std::deque<std::function<Then()>> queue;
  bool working = false;
  bool stopped = false;

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return stopped || !queue.empty(); });
      if (stopped) return;
      std::function<Then()> work = std::move(queue.front());
      queue.pop_front();
      working = true;
      lock.unlock();
      Then then = work();
      work = nullptr;
      lock.lock();
      working = false;
      // Under the lock: once stopped, the loop may be gone.
      if (stopped) return;
      boost::asio::post(loop, [self = weak_from_this(), then = std::move(then)] {
        const auto shared = self.lock();
        if (shared && !shared->is_stopped()) then();
      });
    }
  }

  // False: there is no thread to be had now.
  bool has_thread() {
    if (thread.joinable()) return true;
    try {
      thread = std::thread([self = shared_from_this()] { self->run(); });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }

  bool is_stopped() {
    const std::lock_guard lock(mutex);
    return stopped;
  }
};

Background::Background(boost::asio::io_context& loop) : shared_(std::make_shared<Shared>(loop)) {}

Background::~Background() {
  bool stuck = false;
  std::deque<std::function<Then()>> dropped;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stopped = true;
    stuck = shared_->working;
    dropped.swap(shared_->queue);
  }
  shared_->changed.notify_all();
  if (!shared_->thread.joinable()) return;
  if (stuck) {
    shared_->thread.detach();
  } else {
    shared_->thread.join();
  }
}

void Background::post(std::function<Then()> work) {
  if (!shared_->has_thread()) {
    // At a limit of processes: others wait for a moment, which is better than no answer at all.
    boost::asio::post(shared_->loop, [self = std::weak_ptr(shared_), work = std::move(work)] {
      const auto shared = self.lock();
      if (shared && !shared->is_stopped()) work()();
    });
    return;
  }
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->queue.push_back(std::move(work));
  }
  shared_->changed.notify_one();
}

}  // namespace gpusched
