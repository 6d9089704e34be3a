// Where `top` gets its facts: cards by asking once a second, jobs when the stream of events says
// that one has changed. A daemon that goes away is asked again every second; nothing here waits
// longer than a moment, so that keys are always answered.
#pragma once

#include <optional>

#include "base/time.h"
#include "cli/top/keys.h"
#include "cli/top/state.h"
#include "client/change_feed.h"
#include "client/client.h"

namespace gpusched::cli::top {

class LiveFacts {
 public:
  explicit LiveFacts(const Client& client) : client_(client) {}

  // Asks for what is due, and puts it into the state.
  void refresh(State& state);
  // Until something is due, a job has changed, or `input_fd` is readable; a second at most. While
  // `paused`, nothing is due.
  void wait(int input_fd, bool paused);
  // Everything is due now.
  void hurry();
  // Does what a key asked for; the state's message says how it went.
  void carry_out(const Order& order, State& state);

 private:
  bool connect(State& state, Boot now);
  void lost(State& state, Boot now);
  Result<std::string> ask(const Request& request) const;

  const Client& client_;
  std::optional<ChangeFeed> feed_;
  bool jobs_changed_ = true;
  Boot cards_due_{};
  Boot jobs_due_{};    // Not before, however many changes come.
  Boot jobs_stale_{};  // At the latest: reasons change without an event.
  Boot connect_due_{};
};

}  // namespace gpusched::cli::top
