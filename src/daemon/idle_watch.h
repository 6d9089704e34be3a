// Looks at the threads of idle holders once a second, while the core wants to know of some
// (core/preempt/holder_watch.h).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "core/preempt/holder_watch.h"
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
  void look();
  TreeRoot root_of(const Job& job) const;

  boost::asio::steady_timer timer_;
  Engine& engine_;
  ShimOf shim_of_;
  bool waiting_ = false;
  HolderWatch watch_;
};

}  // namespace gpusched
