#include "sampler/user_names.h"

#include <pwd.h>

#include <chrono>
#include <vector>

namespace gpusched {
namespace {

constexpr auto kPatience = std::chrono::milliseconds{50};

std::string ask_the_system(std::uint32_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(16'384);
  const int error = ::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
  return error == 0 && found != nullptr ? found->pw_name : std::string();
}

}  // namespace

UserNames::UserNames(std::function<std::string(std::uint32_t)> look_up)
    : shared_(std::make_shared<Shared>()) {
  if (!look_up) look_up = ask_the_system;
  std::thread([shared = shared_, look_up = std::move(look_up)] {
    std::unique_lock lock(shared->mutex);
    while (true) {
      shared->asked.wait(lock, [&] { return shared->stop || !shared->wanted.empty(); });
      if (shared->stop) return;
      const std::uint32_t uid = *shared->wanted.begin();
      shared->wanted.erase(shared->wanted.begin());
      lock.unlock();
      std::string name = look_up(uid);
      lock.lock();
      shared->names[uid] = std::move(name);
      shared->answered.notify_all();
    }
  }).detach();
}

UserNames::~UserNames() {
  const std::lock_guard lock(shared_->mutex);
  shared_->stop = true;
  shared_->asked.notify_all();
}

std::optional<std::string> UserNames::name_of(std::uint32_t uid) {
  std::unique_lock lock(shared_->mutex);
  const auto [found, first] = shared_->names.try_emplace(uid, std::nullopt);
  if (first) {
    shared_->wanted.insert(uid);
    shared_->asked.notify_one();
    shared_->answered.wait_for(lock, kPatience,
                               [&] { return shared_->names[uid].has_value() || shared_->stop; });
  }
  return shared_->names[uid];
}

}  // namespace gpusched
