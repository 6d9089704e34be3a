// How much memory the commands and environments take that a user has submitted: counted as long as
// anybody has them, so that nobody can fill the daemon's memory with jobs that wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace gpusched {

class SpecMemory {
 public:
  static constexpr std::uint64_t kMostOfOneUser = 256ULL << 20;

  // The same thing; the last one who lets go of it ends its count, on any thread.
  template <class T>
  std::shared_ptr<const T> hold(std::shared_ptr<const T> what, std::uint32_t uid,
                                std::uint64_t bytes) {
    Counter& used = used_[uid];
    if (used == nullptr) used = std::make_shared<std::atomic<std::uint64_t>>(0);
    *used += bytes;
    const T* raw = what.get();
    return {raw, [what = std::move(what), counter = used, bytes](const T*) mutable {
              what.reset();
              *counter -= bytes;
            }};
  }

  std::uint64_t of(std::uint32_t uid) const {
    const auto found = used_.find(uid);
    return found == used_.end() ? 0 : found->second->load();
  }

 private:
  using Counter = std::shared_ptr<std::atomic<std::uint64_t>>;
  std::map<std::uint32_t, Counter> used_;  // By user; users have accounts.
};

}  // namespace gpusched
