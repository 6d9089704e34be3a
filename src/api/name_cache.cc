#include "api/name_cache.h"

#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace gpusched {
namespace {

constexpr Seconds kKeep{60};
// Far more users than a machine has; bounds memory if somebody makes uids up.
constexpr std::size_t kMost = 4096;

}  // namespace

NameCache::NameCache(boost::asio::io_context& loop, std::function<Now()> now, Lookup lookup)
    : now_(std::move(now)), lookup_(std::move(lookup)), worker_(loop) {}

std::string NameCache::system_lookup(std::uint32_t uid) {
  passwd entry{};
  passwd* result = nullptr;
  std::vector<char> room(1024);
  while (::getpwuid_r(uid, &entry, room.data(), room.size(), &result) == ERANGE &&
         room.size() < (1U << 20)) {
    room.resize(room.size() * 2);
  }
  const bool named = result != nullptr && result->pw_name != nullptr && *result->pw_name != '\0';
  return named ? result->pw_name : std::string();
}

bool NameCache::system_knows(const std::string& name) {
  passwd entry{};
  passwd* result = nullptr;
  std::vector<char> room(1024);
  while (::getpwnam_r(name.c_str(), &entry, room.data(), room.size(), &result) == ERANGE &&
         room.size() < (1U << 20)) {
    room.resize(room.size() * 2);
  }
  return result != nullptr;
}

void NameCache::look_for(const std::string& name, std::function<void(bool there)> found) {
  worker_.post(0, [name, found = std::move(found)]() -> Background::Then {
    return [found, there = system_knows(name)] { found(there); };
  });
}

void NameCache::resolve(std::uint32_t uid, Found found) {
  const auto known = known_.find(uid);
  if (known != known_.end() && now_().boot - known->second.at < kKeep) {
    found(known->second.name);
    return;
  }
  std::vector<Found>& waiting = waiting_[uid];
  waiting.push_back(std::move(found));
  if (waiting.size() > 1) return;
  worker_.post(0, [this, uid, lookup = lookup_]() -> Background::Then {
    std::string name = lookup(uid);
    return [this, uid, name = std::move(name)] {
      if (known_.size() >= kMost) known_.clear();
      known_[uid] = {name, now_().boot};
      const auto told = waiting_.extract(uid);
      for (const Found& tell : told.mapped()) tell(name);
    };
  });
}

}  // namespace gpusched
