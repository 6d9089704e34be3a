#include "api/replay_desk.h"

#include <sys/resource.h>

#include <mutex>
#include <set>
#include <utility>

namespace gpusched {
namespace {

constexpr std::size_t kThreads = 2;
constexpr int kNice = 10;

}  // namespace

// A ticket may go on a thread of ours, when the daemon ends.
struct ReplayDesk::Busy {
  std::mutex mutex;
  std::set<std::uint32_t> users;
};

ReplayDesk::ReplayDesk(boost::asio::io_context& loop)
    : busy_(std::make_shared<Busy>()), threads_(loop, kThreads) {}

ReplayDesk::~ReplayDesk() { over_->store(true); }

Result<ReplayDesk::Ticket> ReplayDesk::begin(std::uint32_t uid) {
  const std::lock_guard lock(busy_->mutex);
  if (!busy_->users.insert(uid).second) {
    return failure(ErrorCode::kBusy, "a replay that you asked for is still under way");
  }
  return Ticket(nullptr, [busy = busy_, uid](void*) {
    const std::lock_guard guard(busy->mutex);
    busy->users.erase(uid);
  });
}

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
