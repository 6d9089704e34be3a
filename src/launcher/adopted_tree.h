// A process that was there before its shim, with its descendants. It is no child of ours: it is
// watched through a pidfd, and how it ended is its parent's to know.
// Rule: nothing but signals that somebody asked for; its own end, or ours, ends nobody else.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/model/adopted.h"
#include "jobdir/process_tree.h"
#include "os/fd.h"

namespace gpusched {

class AdoptedTree {
 public:
  // Nullopt: it is gone, or its number is another's by now.
  static std::optional<AdoptedTree> find(const AdoptedProcess& process);

  // Readable when it has ended.
  int fd() const { return pidfd_.get(); }
  bool is_stopped() const;
  // To all of it that is its user's; those below are remembered. Returns how many were reached.
  std::size_t signal(int signal);
  // To those below who were there at the last signal() and are still, once it has ended itself.
  void signal_rest(int signal) const;

 private:
  AdoptedTree(pid_t pid, uid_t user, Fd pidfd) : pid_(pid), user_(user), pidfd_(std::move(pidfd)) {}

  pid_t pid_ = 0;
  uid_t user_ = 0;
  Fd pidfd_;
  std::vector<ProcessEntry> below_;
};

}  // namespace gpusched
