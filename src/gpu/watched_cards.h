// Which cards there are, and what is seen on them: keeps a sampler alive, and makes of its lines
// what admission needs. What is said arrives on the loop's thread, never from inside a call; absent
// is unknown and never zero. A sampler that says nothing for too long is ended and started again;
// its cards are unknown meanwhile, and the daemon goes on. A driver tells only of cards that were
// there when it was opened, so while one is missing another sampler looks now and then, and takes
// over when it is back.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/card.h"
#include "core/model/event.h"
#include "watch/board.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

// What a look at the machine brought: the cards, in the order of their numbers.
struct CardsFound {
  std::vector<Card> cards;  // Not usable until they have been seen.
  std::string source;       // "simulated", "nvml", "none": for `gpus`, `doctor` and the log.
};

class WatchedCards {
 public:
  struct Handlers {
    // At first, and whenever the cards are others. An error: nothing can be said of them for now;
    // it goes on trying.
    std::function<void(Result<CardsFound>)> cards;
    std::function<void(CardSeen)> seen;
  };
  struct Options {
    std::string program;                 // find_sampler_program().
    std::vector<std::string> variables;  // Of its environment: the simulated driver.
    std::string source;                  // Shown in place of the backends' names, if not empty.
    std::chrono::milliseconds busy_period{1000}, idle_period{10'000}, deadline{2000};
    std::string cgroup;  // Base group of our jobs; empty: none.
    std::function<void(const std::string&)> complain;
    // Gives cards that were found their numbers and what the configuration says of them; their
    // numbers are the driver's before. Empty: they stay as they are.
    std::function<std::vector<Card>(std::vector<Card>)> arrange;
    // Says whose processes of a lease's holder are on this card (core/model/lease.h); empty:
    // nobody's.
    std::function<std::optional<AttemptId>(int holder, CardNumber card)> lease_of_holder;
    // Cards that were here before are not, though so many are: somebody else looks from time to
    // time whether they are back. Empty: nobody misses a card.
    std::function<bool(std::size_t found)> missing;
  };
  WatchedCards(boost::asio::io_context& loop, Options options);
  ~WatchedCards();

  void start(Handlers handlers);
  // Something runs or waits: look often. Else look rarely.
  void set_busy(bool busy);
  // Once more within a tenth of a second, whatever the period. Whoever wants it again says so
  // again.
  void look_soon(CardNumber card);
  // Something could start there: look at once.
  void look_now(CardNumber card);
  // Where jobs have no control group of their own, their shims say whose a process is.
  void set_attempts(std::vector<watch::RunningAttempt> attempts);
  // Everything that was reported beside cards and what is seen on them.
  void on_report(std::function<void(const watch::Report&)> listener);
  const watch::CardBoard& board() const;
  // How often a sampler ended, so that another one took its place.
  std::uint64_t restarts() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace gpusched
