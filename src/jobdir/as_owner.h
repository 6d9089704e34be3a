// Looks at files with the rights of a job's owner instead of root's: a path that a user chose may
// lead anywhere, and what root may open says nothing about what the user may. Holds for the calling
// thread, until the end of the scope. A daemon that is not root has no other rights to take on.
#pragma once

#include <sys/types.h>

#include <vector>

#include "core/model/job.h"

namespace gpusched {

class AsOwner {
 public:
  explicit AsOwner(const Identity& owner);
  ~AsOwner();
  AsOwner(const AsOwner&) = delete;
  AsOwner& operator=(const AsOwner&) = delete;

  // False: the rights could not be taken on, and nothing may be opened.
  bool done() const { return done_; }

 private:
  bool changed_ = false;
  bool done_ = true;
  std::vector<gid_t> groups_before_;
};

}  // namespace gpusched
