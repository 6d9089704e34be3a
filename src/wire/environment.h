// Environments by content: the hash that names one, and a pool that lets jobs with the same
// environment share a single copy for as long as one of them is kept.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/job.h"

namespace gpusched {

// Order counts: execve passes it on, and the same shell gives the same order.
std::string environment_hash(const std::vector<std::string>& variables);
std::shared_ptr<const Environment> make_environment(std::vector<std::string> variables);
// Without its hash, which costs more than all the rest of reading it: share() makes up for it where
// the environment is not a well-known one.
std::shared_ptr<const Environment> unnamed_environment(std::vector<std::string> variables);

// Holds no environment alive. Not thread-safe: belongs to the loop.
class EnvironmentPool {
 public:
  // The copy that others already use, or this one from now on; named in any case.
  // `keep`, if set, makes of one that is new what is kept of it.
  using Keep =
      std::function<std::shared_ptr<const Environment>(std::shared_ptr<const Environment>)>;
  std::shared_ptr<const Environment> share(std::shared_ptr<const Environment> environment,
                                           const Keep& keep = {});
  // Resource limits come with it and are mostly those of the job before.
  std::shared_ptr<const ResourceLimits> share(std::shared_ptr<const ResourceLimits> limits);

 private:
  void drop_unused();
  void remember(const std::shared_ptr<const Environment>& environment);

  std::deque<std::weak_ptr<const Environment>> recent_;  // The same shell submits again and again.

  std::unordered_map<std::string, std::weak_ptr<const Environment>> by_hash_;
  std::size_t sweep_at_ = 64;
  std::weak_ptr<const ResourceLimits> limits_;
};

}  // namespace gpusched
