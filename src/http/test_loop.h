// For tests: a loop that runs in a thread of its own.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <thread>

namespace gpusched::testing {

class TestLoop {
 public:
  ~TestLoop() { stop(); }
  // Before start() it belongs to the test's thread.
  boost::asio::io_context& loop() { return loop_; }
  void start();
  // Runs it on the loop, and waits for its end.
  void run(const std::function<void()>& work);
  void stop();

 private:
  boost::asio::io_context loop_;
  std::thread thread_;
};

}  // namespace gpusched::testing
