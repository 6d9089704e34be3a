#include "wire/environment.h"

#include <algorithm>
#include <utility>

#include "base/sha256.h"

namespace gpusched {

std::string environment_hash(const std::vector<std::string>& variables) {
  Sha256 digest;
  for (const std::string& variable : variables) digest.add_counted(variable);
  return digest.hex();
}

std::shared_ptr<const Environment> make_environment(std::vector<std::string> variables) {
  auto environment = std::make_shared<Environment>();
  environment->hash = environment_hash(variables);
  environment->variables = std::move(variables);
  return environment;
}

std::shared_ptr<const Environment> unnamed_environment(std::vector<std::string> variables) {
  auto environment = std::make_shared<Environment>();
  environment->variables = std::move(variables);
  return environment;
}

std::shared_ptr<const Environment> EnvironmentPool::share(
    std::shared_ptr<const Environment> environment, const Keep& keep) {
  if (environment == nullptr) return environment;
  if (environment->hash.empty()) {
    for (const auto& recent : recent_) {
      const auto known = recent.lock();
      if (known != nullptr && known->variables == environment->variables) return known;
    }
    environment = make_environment(environment->variables);
  }
  std::weak_ptr<const Environment>& slot = by_hash_[environment->hash];
  if (auto known = slot.lock()) {
    environment = std::move(known);
  } else {
    if (keep) environment = keep(std::move(environment));
    slot = environment;
  }
  if (by_hash_.size() >= sweep_at_) drop_unused();
  remember(environment);
  return environment;
}

void EnvironmentPool::remember(const std::shared_ptr<const Environment>& environment) {
  constexpr std::size_t kRecent = 4;
  if (recent_.size() == kRecent) recent_.pop_back();
  recent_.push_front(environment);
}

void EnvironmentPool::drop_unused() {
  std::erase_if(by_hash_, [](const auto& entry) { return entry.second.expired(); });
  // Doubling keeps the cost of sweeping constant per insertion.
  sweep_at_ = std::max<std::size_t>(64, by_hash_.size() * 2);
}

std::shared_ptr<const ResourceLimits> EnvironmentPool::share(
    std::shared_ptr<const ResourceLimits> limits) {
  if (limits == nullptr) return nullptr;
  if (auto known = limits_.lock(); known != nullptr && *known == *limits) return known;
  limits_ = limits;
  return limits;
}

}  // namespace gpusched
