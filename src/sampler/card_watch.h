// One card's thread: looks each period, when asked, and at once when a process on the card has
// ended. A call of the driver may never return; then this thread is lost to it, and the watchdog
// says "unknown" in its place until the call comes back.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "sampler/exit_watch.h"
#include "sampler/line_writer.h"
#include "sampler/pace.h"
#include "sampler/process_owners.h"
#include "watch/backend.h"

namespace gpusched {

// What every card's thread shares.
struct WatchSurroundings {
  LineWriter& lines;
  ProcessOwners& owners;
  ExitWatch& exits;
  SharedPace& pace;
  std::function<Now()> clock;
  std::string sysfs;
  bool once = false;             // One look, then the thread ends.
  std::function<void()> looked;  // After each look.
  std::function<void(const std::string& reason)> driver_replaced;
};

class CardWatch {
 public:
  CardWatch(watch::NumberedCard card, watch::Backend& backend, WatchSurroundings& surroundings);
  ~CardWatch();
  CardWatch(const CardWatch&) = delete;
  CardWatch& operator=(const CardWatch&) = delete;

  const watch::NumberedCard& card() const { return card_; }
  void start();
  void stop();
  // Waits for a call that is under way. All are stopped and joined before one is destroyed: each
  // may ask about the others.
  void join();
  // From any thread.
  void look_now(watch::Cause cause);
  void process_ended(int pid);
  void pace_changed();
  // It has said something about its card.
  bool has_reported() const;

  // Says "unknown" if a call is late, again for every deadline that passes. Returns when to ask
  // next; absent: no call is under way.
  std::optional<Boot> check_deadline();
  void report_unknown(const std::string& reason);

 private:
  struct Reading {
    Result<watch::CardSample> sample;
    Result<std::vector<watch::ProcessSample>> processes;
  };

  void run();
  // Absent: time to end.
  std::optional<watch::Cause> wait_for_turn();
  void look(watch::Cause cause);
  bool wait_for_list(std::chrono::milliseconds pause);
  Reading read(bool& was_late);
  void report(const Reading& reading, watch::Cause cause);
  void report_failure(const Error& error);
  void read_accounts();
  void plan_next(std::chrono::milliseconds pause);
  // A call of the backend, under the eyes of the watchdog. Sets `was_late` if it was.
  template <class Call>
  auto watched_call(bool& was_late, Call call);

  const watch::NumberedCard card_;
  watch::Backend& backend_;
  WatchSurroundings& around_;

  // Of the card's own thread.
  std::set<int> listed_;
  std::set<int> ended_;   // Ended, and perhaps listed still.
  int accounts_due_ = 1;  // How many looks will still ask for accounts; the first one primes.

  mutable std::mutex mutex_;
  std::condition_variable turn_;
  bool stop_ = false, reported_ = false;
  std::optional<watch::Cause> asked_;
  std::set<int> news_;  // Pids that have ended since the last look.
  Boot due_{};
  bool follow_up_ = false;  // The next look is one more after an exit.
  std::optional<Boot> call_began_, said_late_;
  std::thread thread_;
};

}  // namespace gpusched
