// The GpuBackend that looks: keeps a sampler alive, and makes of its lines what admission needs.
// A sampler that says nothing for too long is ended and started again; its cards are unknown
// meanwhile, and the daemon goes on. A driver tells only of cards that were there when it was
// opened, so while one is missing another sampler looks now and then, and takes over when it is
// back.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engine/gpu_backend.h"
#include "gpu/process_loads.h"
#include "watch/board.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

class WatchedCards final : public GpuBackend {
 public:
  struct Options {
    std::string program;                 // find_sampler_program().
    std::vector<std::string> variables;  // Of its environment: the simulated driver.
    std::string source;                  // Shown in place of the backends' names, if not empty.
    std::chrono::milliseconds busy_period{1000}, idle_period{10'000}, deadline{2000};
    std::string cgroup;  // Base group of our jobs; empty: none.
    ProcessLoads::Rules loads;
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
  ~WatchedCards() override;

  void start(Handlers handlers) override;
  void set_busy(bool busy) override;
  void look_soon(CardNumber card) override;
  void look_now(CardNumber card) override;
  // Where jobs have no control group of their own, their shims say whose a process is.
  void set_attempts(std::vector<watch::RunningAttempt> attempts);
  // Everything that was reported beside cards and what is seen on them.
  void on_report(std::function<void(const watch::Report&)> listener);
  const watch::CardBoard& board() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace gpusched
