// GET /v1/leases/changes: a process hears of all its leases over one connection, so that its
// threads need none each. What is not read is bounded: the newest state of each lease is told, and
// who falls too far behind is cut off. Belongs to the loop's thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/model/ids.h"
#include "engine/engine.h"

namespace gpusched {

struct Call;
struct Context;

class LeaseChanges {
 public:
  // The client hears of what happens from now on to leases that its process holds.
  void follow(Context& context, const Call& call);
  void tell(const StateView& state, const std::vector<JobChange>& changes);

 private:
  struct Client;
  std::map<int, std::vector<std::weak_ptr<Client>>> by_process_;
};

}  // namespace gpusched
