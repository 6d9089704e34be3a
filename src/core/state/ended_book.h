// Jobs that have ended, as a whole and by tenant: when there are too many, those go first who have
// most of them. Derived from the jobs, like every index of the state.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/model/job.h"

namespace gpusched {

class EndedBook {
 public:
  using ByEnd = std::set<std::pair<Wall, JobId>>;

  // A job that has not ended changes nothing.
  void add(const Job& job);
  void remove(const Job& job);

  const ByEnd& all() const { return all_; }  // Oldest end first.
  // What has to go so that `keep` are left: each time the oldest of the tenant with most of them,
  // so that nobody's jobs displace those of others. At most `most`, and none that `stays`.
  std::vector<JobId> surplus(std::size_t keep, std::size_t most,
                             const std::function<bool(JobId)>& stays) const;
  friend bool operator==(const EndedBook&, const EndedBook&) = default;

 private:
  ByEnd all_;
  std::map<std::string, ByEnd> by_tenant_;
};

}  // namespace gpusched
