#include "api/tickets.h"

#include <map>
#include <mutex>
#include <utility>

namespace gpusched {

struct Tickets::Taken {
  std::mutex mutex;
  std::map<std::uint32_t, std::size_t> by_user;
};

Tickets::Tickets(std::size_t most, std::string refusal)
    : taken_(std::make_shared<Taken>()), most_(most), refusal_(std::move(refusal)) {}

Result<Tickets::Ticket> Tickets::take(std::uint32_t uid) {
  const std::lock_guard lock(taken_->mutex);
  std::size_t& count = taken_->by_user[uid];
  if (count >= most_) return failure(ErrorCode::kBusy, refusal_);
  ++count;
  return Ticket(nullptr, [taken = taken_, uid](void*) {
    const std::lock_guard guard(taken->mutex);
    const auto own = taken->by_user.find(uid);
    if (--own->second == 0) taken->by_user.erase(own);
  });
}

}  // namespace gpusched
