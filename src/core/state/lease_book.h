// Which jobs are leases: those that live, when each one's time to live is over, and those that
// have ended. Derived from the jobs, like every index of the state.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/model/job.h"
#include "core/state/ended_book.h"

namespace gpusched {

class LeaseBook {
 public:
  // A job that is no lease changes nothing.
  void add(const Job& job, Now now);
  void remove(const Job& job);

  // Leases that wait or are granted, by id.
  const std::set<JobId>& live() const { return live_; }
  const EndedBook& ended() const { return ended_; }
  std::optional<Boot> next_end() const;
  // Granted leases whose time to live is over.
  std::vector<JobId> due(Now now) const;
  friend bool operator==(const LeaseBook&, const LeaseBook&) = default;

 private:
  std::set<JobId> live_;
  EndedBook ended_;
  std::map<JobId, Boot> end_of_;
  std::set<std::pair<Boot, JobId>> ends_;
};

}  // namespace gpusched
