#include "api/replay_desk.h"

#include <sys/resource.h>

#include <utility>

namespace gpusched {
namespace {

constexpr std::size_t kThreads = 2;
constexpr int kNice = 10;

}  // namespace

ReplayDesk::ReplayDesk(boost::asio::io_context& loop) : threads_(loop, kThreads) {}

ReplayDesk::~ReplayDesk() { over_->store(true); }

Result<void> ReplayDesk::run(std::uint32_t uid,
                             std::function<Background::Then(const std::atomic<bool>&)> work) {
  const bool taken = threads_.post_aside(uid, [over = over_, work = std::move(work)] {
    // On Linux of this thread alone, which has nothing else to do.
    ::setpriority(PRIO_PROCESS, 0, kNice);
    return work(*over);
  });
  if (taken) return {};
  return failure(ErrorCode::kBusy, "the daemon can start no thread for a replay now");
}

}  // namespace gpusched
