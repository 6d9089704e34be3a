// A program of ours as a child that hears lines and says lines: it is started, written to, read,
// and its end is noticed. However stuck it is, nobody waits for it, and what it says or does not
// take is bounded.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

class LineChild {
 public:
  struct Options {
    std::vector<std::string> command;                   // The program's path first.
    std::vector<std::string> environment;               // All of it: "NAME=value".
    std::vector<std::pair<int, int>> descriptors = {};  // Of ours, and what it is there.
    std::size_t line_most = 1U << 20;
    // What it has not taken; further lines are dropped.
    std::size_t unsent_most = SIZE_MAX;
    // When nobody listens any more: it is killed; else its input ends, and it does so by itself.
    bool killed_when_left = true;
  };
  struct Handlers {
    std::function<void(std::string_view)> line;
    // With its wait status, once all that it said was heard. Nothing is called afterwards.
    std::function<void(int)> ended;
    std::function<void(const std::string&)> complain;
  };

  static Result<std::unique_ptr<LineChild>> start(boost::asio::io_context& loop,
                                                  const Options& options, Handlers handlers);
  // Nothing is called any more.
  ~LineChild();

  // Without its end.
  void send(const std::string& line);
  // Ends it; `ended` follows when it is gone.
  void kill();

 private:
  class Child;
  explicit LineChild(std::shared_ptr<Child> child);
  std::shared_ptr<Child> child_;
};

// The program of this name beside the running one, or where it was installed to.
std::string find_program(const std::string& name);

}  // namespace gpusched
