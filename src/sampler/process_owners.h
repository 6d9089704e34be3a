// Whose processes are on the cards: user, command, container, and the attempt if it is one of
// ours. What was found out about a process is remembered by its pid and start: the answer is cheap
// the second time, and a process keeps its attempt however often it is re-parented.
// Safe to use from every thread.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "sampler/proc_directory.h"
#include "sampler/user_names.h"
#include "watch/report.h"

namespace gpusched {

class ProcessOwners {
 public:
  explicit ProcessOwners(ProcDirectory proc) : proc_(std::move(proc)) {}

  // The attempts that run now, with their shims.
  void set_jobs(watch::JobsOrder jobs);
  // A process that has ended keeps the owner it had, for as long as it is asked about. With
  // `unchanged` it is known to be the same process as last time, and nothing is read.
  watch::ProcessOwner owner_of(int pid, Now now, bool unchanged = false);
  std::optional<AttemptId> known_attempt_of(int pid);

 private:
  struct Known {
    watch::ProcessOwner owner;
    unsigned jobs_version = 0;  // Of the list that it was compared with.
    bool in_leaf = false;       // In the attempt's own control group, which ends with it.
    bool name_known = false;    // Or that there is none.
    Boot refreshed{};
    Boot asked{};
  };
  void refresh(int pid, const ProcessStat& stat, Now now, Known& known);
  void find_name(Known& known);
  void find_attempt(int pid, const ProcessStat& stat, Known& known);
  void compare_with_jobs(int pid, const ProcessStat& stat, Known& known);
  bool is_over(const Known& known) const;
  std::optional<AttemptId> attempt_by_tree(int pid, int parent);
  std::optional<AttemptId> attempt_by_container(const watch::ProcessOwner& owner) const;
  void learn_container(const watch::ProcessOwner& owner);
  bool is_known_enough(const Known& known, Boot now) const;
  bool runs(AttemptId attempt) const;
  void forget_the_old(Boot now);

  ProcDirectory proc_;
  UserNames names_;
  std::mutex mutex_;
  watch::JobsOrder jobs_;
  unsigned jobs_version_ = 0;
  std::map<int, Known> known_;  // By pid; the start is in the owner.
  // Containers that an attempt has made, by their groups: whoever runs in one is the attempt's.
  std::map<std::string, AttemptId> containers_;
  Boot swept_{};
};

}  // namespace gpusched
