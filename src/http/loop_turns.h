// Who is next on the loop. Requests and pieces of streams wait here by user, and whoever has taken
// least of the loop lately goes first: somebody with many connections, or with expensive requests,
// waits for everybody else and not the other way round.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "base/time.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

class LoopTurns {
 public:
  using Work = std::function<void()>;
  // Work by user, in order for each.
  using Waiting = std::map<std::uint32_t, std::deque<Work>>;

  LoopTurns(boost::asio::io_context& loop, std::function<Now()> now);

  // Soon, behind what others may bring meanwhile.
  void give(std::uint32_t uid, Work work);
  // Runs what waits there as long as `may` says so, for a few milliseconds at most. What runs may
  // add to it.
  void run(Waiting& waiting, const std::function<bool()>& may);

 private:
  void post_next();
  void next();
  void run_one(Waiting& waiting);
  void forget_some(Boot now);

  boost::asio::io_context& loop_;
  std::function<Now()> now_;
  Waiting soon_;
  bool posted_ = false;
  std::map<std::uint32_t, Microseconds> used_;  // Of the loop's time, lately.
  Boot forgotten_at_{};
  std::shared_ptr<bool> lives_ = std::make_shared<bool>();  // The loop may outlive this.
};

}  // namespace gpusched
