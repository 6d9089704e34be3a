// Notices the end of every process that a driver lists, ours and foreign ones, without asking: a
// descriptor per process that the kernel makes readable. A card whose memory has just become free
// is looked at again at once.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "core/model/ids.h"
#include "os/fd.h"

namespace gpusched {

class ExitWatch {
 public:
  // `ended` is called by collect(), for each card that the process was listed on.
  explicit ExitWatch(std::function<void(CardNumber, int pid)> ended);

  // Readable when collect() has something to do.
  int fd() const { return epoll_.get(); }
  void collect();

  // True while the process that was first listed under this pid lives: nobody else can have it.
  bool watches(int pid);
  // What a card lists now; from any thread. Returns those that have ended already and were not
  // known to have: each pid once, for as long as it stays listed.
  std::vector<int> set_listed(CardNumber card, const std::vector<int>& pids);

 private:
  struct Watched {
    Fd process;
    std::set<CardNumber> cards;
    bool ended = false;
  };
  // False: it has ended.
  bool watch(int pid, Watched& watched);

  std::function<void(CardNumber, int pid)> ended_;
  Fd epoll_;
  std::mutex mutex_;
  std::map<int, Watched> by_pid_;
};

}  // namespace gpusched
