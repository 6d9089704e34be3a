// gpusched-sampler as a child: its lines are read, orders are written to it, its end is noticed.
// Driver libraries can hang or crash, so the daemon never loads one; however stuck this process is,
// nobody waits for it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "watch/report.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

class LineChild;

class SamplerProcess {
 public:
  struct Options {
    std::string program;
    std::vector<std::string> variables;  // "NAME=value", added to our own environment.
    bool once = false;                   // One look at every card, then it ends.
  };
  struct Handlers {
    std::function<void(watch::Report)> report;
    // With its wait status. Nothing is called afterwards.
    std::function<void(int)> ended;
    // A line that could not be read.
    std::function<void(const std::string&)> complain;
  };

  static Result<std::unique_ptr<SamplerProcess>> start(boost::asio::io_context& loop,
                                                       const Options& options, Handlers handlers);
  // Kills it, without a word to the handlers.
  ~SamplerProcess();

  void send(const watch::Order& order);
  // Ends it; `ended` follows when it is gone.
  void kill();

 private:
  explicit SamplerProcess(std::unique_ptr<LineChild> child);
  std::unique_ptr<LineChild> child_;
};

// The program beside the running one, or where it was installed to.
std::string find_sampler_program();

}  // namespace gpusched
