// Environments of ended jobs: put away once the end is on disk, read again for whoever starts such
// a job once more.
#include <algorithm>

#include "core/state/state.h"
#include "engine/engine.h"

namespace gpusched {
namespace {

// Read in one go: commits wait for it.
constexpr std::size_t kReadAtOnce = 200;

}  // namespace

struct Engine::Reading {
  RequeueAsked asked;
  Posted posted;  // Without its event.
  std::vector<std::string> left;
  EnvironmentsByHash read = {};
};

void Engine::put_environments_away(const std::vector<JobId>& ended) {
  if (!options_.read_environments) return;
  for (const JobId id : ended) {
    const Job* job = state_.find(id);
    if (job != nullptr && state_.environments().may_go(*job)) put_away_ += put_away(*job->spec);
  }
}

void Engine::with_environments(RequeueAsked asked, Posted posted) {
  auto reading = std::make_shared<Reading>(Reading{std::move(asked), std::move(posted), {}});
  for (const JobId id : reading->asked.jobs) {
    const Job* job = state_.find(id);
    if (job == nullptr || job->spec->environment == nullptr) continue;
    if (job->spec->environment->away) reading->left.push_back(job->spec->environment->hash);
  }
  read_more(std::move(reading));
}

void Engine::read_more(std::shared_ptr<Reading> reading) {
  if (reading->left.empty()) {
    reading->asked.environments =
        std::make_shared<const EnvironmentsByHash>(std::move(reading->read));
    reading->posted.event = std::move(reading->asked);
    return gather(std::move(reading->posted));
  }
  const std::size_t count = std::min(kReadAtOnce, reading->left.size());
  const auto from = reading->left.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<std::string> hashes(from, reading->left.end());
  reading->left.erase(from, reading->left.end());
  options_.read_environments(std::move(hashes), [this, reading](Result<EnvironmentsByHash> found) {
    if (!found) {
      if (reading->posted.answer) reading->posted.answer(failure(found.error()));
      return;
    }
    reading->read.merge(*found);
    read_more(reading);
  });
}

}  // namespace gpusched
