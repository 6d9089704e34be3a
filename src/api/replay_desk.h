// Replays of the past, which take seconds of a processor: on threads of their own that give way to
// everybody else, one at a time for each user.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "api/tickets.h"
#include "base/result.h"
#include "http/background.h"

namespace gpusched {

class ReplayDesk {
 public:
  explicit ReplayDesk(boost::asio::io_context& loop);
  ~ReplayDesk();  // What is under way gives up.

  // Until the last copy of the ticket is gone no other replay of this user begins.
  // kBusy: one of this user's is under way.
  Result<Tickets::Ticket> begin(std::uint32_t uid) { return tickets_.take(uid); }
  // kBusy: there is no thread to be had. Never on the loop. `over` becomes true at the end of the
  // daemon: the work looks at it now and then.
  Result<void> run(std::uint32_t uid,
                   std::function<Background::Then(const std::atomic<bool>& over)> work);

 private:
  Tickets tickets_{1, "a replay that you asked for is still under way"};
  std::shared_ptr<std::atomic<bool>> over_ = std::make_shared<std::atomic<bool>>(false);
  Background threads_;
};

}  // namespace gpusched
