#include "core/state/ended_environments.h"

namespace gpusched {
namespace {

const JobSpec* counted(const Job* job) {
  return job != nullptr && job->task && !job->ended() ? job->spec.get() : nullptr;
}

}  // namespace

void EndedEnvironments::change(const Job* before, const Job* after) {
  const JobSpec* old = counted(before);
  const JobSpec* now = counted(after);
  if (old == now) return;
  if (now != nullptr) ++live_[now];
  if (old == nullptr) return;
  const auto found = live_.find(old);
  if (--found->second == 0) live_.erase(found);
}

bool EndedEnvironments::may_go(const Job& job) const {
  return job.ended() && !live_.contains(job.spec.get());
}

std::size_t put_away(const JobSpec& spec) {
  const Environment* here = spec.environment.get();
  if (here == nullptr || here->away) return 0;
  std::size_t bytes = 0;
  for (const std::string& variable : here->variables)
    bytes += sizeof(std::string) + variable.size();
  if (bytes == 0) return 0;
  auto name = std::make_shared<Environment>();
  name->hash = here->hash;
  name->away = true;
  spec.environment = std::move(name);
  return bytes;
}

bool bring_back(const JobSpec& spec, const EnvironmentsByHash& read) {
  if (spec.environment == nullptr || !spec.environment->away) return true;
  const auto found = read.find(spec.environment->hash);
  if (found == read.end()) return false;
  spec.environment = found->second;
  return true;
}

}  // namespace gpusched
