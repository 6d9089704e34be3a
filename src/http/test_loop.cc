#include "http/test_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <future>

namespace gpusched::testing {

void TestLoop::start() {
  thread_ = std::thread([this] {
    const auto work = boost::asio::make_work_guard(loop_);
    loop_.run();
  });
}

void TestLoop::run(const std::function<void()>& work) {
  std::promise<void> done;
  boost::asio::post(loop_, [&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

void TestLoop::stop() {
  loop_.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace gpusched::testing
