// Does an idle holder that is aside want its cards again? Told by looks at its threads: while it is
// idle its habits are learnt, afterwards it is compared with them. Pure; the looks come from /proc
// (process/thread_look.h). docs/preemption.md says what was measured.
//
// Two signs count. It computes: much more CPU time than it ever took while idle. Or it is stuck: a
// thread that used to wake now and then does so no more, or waits where it never waited before, as
// one does whose call to the card does not return.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/time.h"

namespace gpusched {

struct ThreadLook {
  int id = 0;
  Microseconds cpu{0};        // Since its start.
  std::uint64_t turns = 0;    // Times it was given a CPU since its start; 0: not known.
  std::string waits_in = {};  // The kernel's word for where it waits; empty: it does not.
};
struct HolderLook {
  Boot at{};
  std::vector<ThreadLook> threads;
};

struct ActivityRules {
  int looks_least = 5;  // Before habits are known.
  // It computes: in each of two looks in a row, so much in a second, so many times its mean, and
  // more than in any second of its idleness.
  Microseconds cpu_least{50'000};
  int cpu_times = 5;
  // It is stuck: for so long a thread has waited in a place that is new for it, or has been woken
  // less than a part of what it was used to.
  Microseconds stuck_for{Seconds{3}};
  double turns_least = 1.0;  // Per second, of a thread that is missed when it is not woken.
  int turns_part = 4;
};

class Activity {
 public:
  explicit Activity(ActivityRules rules = {}) : rules_(rules) {}
  // A look while it is idle on its cards.
  void learn(const HolderLook& look);
  // A look while it is aside. What shows that it is active, for people; nullopt: nothing does.
  // Where too little was learnt before, the look serves for that.
  std::optional<std::string> judge(const HolderLook& look);

 private:
  struct Habit {
    Boot since{};
    Microseconds cpu_then{0};
    std::uint64_t turns_then = 0;
    double turns_per_second = 0;
    std::set<std::string> waits;
  };
  // Of a thread, since it was last seen where it usually is.
  struct Stay {
    Boot since{};
    std::uint64_t turns = 0;
  };
  double cpu_per_second_since(const HolderLook& look) const;
  bool computes(const HolderLook& look);
  bool is_stuck(const HolderLook& look, const ThreadLook& thread);
  void keep(const HolderLook& look);

  ActivityRules rules_;
  int looks_ = 0;
  std::map<int, Habit> habits_;
  Boot began_{};
  double cpu_mean_ = 0;  // Seconds per second.
  double cpu_most_ = 0;
  double cpu_sum_ = 0;
  std::optional<Boot> last_at_;
  std::map<int, ThreadLook> last_;
  std::map<int, Stay> in_new_place_;
  std::map<int, Stay> not_woken_;
  int busy_looks_ = 0;
};

}  // namespace gpusched
