// Tells when a file that is open here has grown: inotify on the descriptor itself, so that a path
// which changes hands cannot mislead it. No polling.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

class LogWatch {
 public:
  explicit LogWatch(boost::asio::io_context& loop);
  ~LogWatch();

  // Ends the watch when it goes. May outlive the LogWatch.
  using Token = std::shared_ptr<void>;
  // `grown` is called on the loop, once or more after each change.
  Result<Token> watch(int file, std::function<void()> grown);
  void stop();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace gpusched
