// Looks at idle holders once a second: at those on their cards to learn their habits, at those that
// are aside to notice that they want to go on. Only where the settings ask for it, and only while
// there are some. What is learnt is lost with the daemon; the next one learns it anew.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>

#include "core/preempt/activity.h"
#include "engine/engine.h"
#include "jobdir/thread_look.h"

namespace gpusched {

class IdleWatch {
 public:
  // The supervisor of an attempt, below which its processes are; 0: none.
  using ShimOf = std::function<int(AttemptId)>;
  IdleWatch(boost::asio::io_context& loop, Engine& engine, ShimOf shim_of);
  // After a turn: there may be something to look at.
  void look_soon();

 private:
  struct Watched {
    Activity activity;
    bool said = false;
  };
  void look();
  void look_at(const Job& job, bool aside, const std::vector<ProcessEntry>& all);

  boost::asio::steady_timer timer_;
  Engine& engine_;
  ShimOf shim_of_;
  bool waiting_ = false;
  std::map<AttemptId, Watched> watched_;
};

}  // namespace gpusched
