// The machine of the embedded scheduler: the core's state, what has ended, and who waits. Guarded
// by one mutex; a grant is a few microseconds under it. What the program says of its cards comes
// checked (card_roster.h).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/state/state.h"
#include "scheduler/backend.h"
#include "scheduler/machine_lock.h"

namespace gpusched::library {

class Machine {
 public:
  struct Options {
    std::vector<CardFact> cards;
    std::function<Reply<std::vector<CardFact>>()> look;  // Empty: they stay as they were.
    std::chrono::milliseconds look_every{1000};
    int cpus = 1;
  };
  Machine(MachineLock lock, Options options);

  Reply<std::vector<Standing>> ask(const std::string& application, const std::vector<Wish>& wishes);
  Reply<Standing> wait(std::uint64_t id, std::chrono::milliseconds at_most);
  void release(std::uint64_t id);
  void reset(const std::string& application);
  std::vector<Standing> live(const std::string& application);

 private:
  using Look = std::optional<Reply<std::vector<CardFact>>>;
  Look look_again();
  void take_look(const Look& look, Now now);
  void take_facts(const std::vector<CardFact>& facts, Now now);
  void take_roster(const std::vector<CardFact>& facts, Now now);
  void take_turn(Now now);
  void pass_time(Now now);
  Standing standing_of(const Job& job) const;
  Standing waiting_standing(const Job& job) const;
  Standing explained(const Job& job, Now now) const;
  Fault end_of(std::uint64_t id) const;

  MachineLock lock_;
  const Options options_;
  // One looks at a time; the rest goes on with what is known, also a look that asks something here.
  std::atomic_flag looking_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_;
  std::optional<Boot> looked_;
  bool look_wanted_ = false;  // Something could be granted after a new look.
  std::string complaint_;     // Why the last look failed; empty: it did not.
  std::uint64_t submissions_ = 0;
  int waiters_ = 0;
  // Why requests ended, the newest so many: waiters and holders still ask.
  std::map<std::uint64_t, Fault> ends_;
  std::deque<std::uint64_t> end_order_;
};

}  // namespace gpusched::library
