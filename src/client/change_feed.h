// /v1/events as a sequence of changes that survives a restart of the daemon: the connection is
// made again for up to 30 s and goes on after the last change seen.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "base/time.h"
#include "client/client.h"
#include "client/event_stream.h"

namespace gpusched {

class ChangeFeed {
 public:
  // kSays: a lost connection is an error of next() at once, for who must not wait; open() waits
  // for a second at most. kSaysOnly: an error as well, for who calls open() again.
  enum class WhenLost : unsigned char { kConnectsAgain, kSays, kSaysOnly };
  // `jobs` is a selector, empty for all; `after` a sequence number, empty for "from now on".
  ChangeFeed(const Client& client, std::string jobs, std::string after = {},
             WhenLost when_lost = WhenLost::kConnectsAgain);

  // Connects; returns once the daemon has answered, so that no later change can be missed.
  Result<void> open();

  enum class Woken : unsigned char { kChange, kTime, kOther };
  struct Next {
    Woken by = Woken::kTime;
    StreamEvent change = {};
  };
  // The next change; or kTime after `timeout` (negative: never), or kOther once `other_fd` is
  // or `another_fd` is readable (-1: none).
  Result<Next> next(std::chrono::milliseconds timeout, int other_fd = -1, int another_fd = -1);
  // True if the last next() had to connect again: what is on the screen may be old.
  bool take_reconnected();

 private:
  Result<void> reconnect();
  void take(std::string_view bytes);

  const Client& client_;
  std::string jobs_;
  std::string last_id_;
  WhenLost when_lost_;
  std::optional<Exchange> exchange_;
  EventStreamParser parser_;
  std::deque<StreamEvent> pending_;
  std::optional<Error> farewell_;  // The daemon has ended it, and why.
  Boot heard_{};                   // When the daemon last said something.
  bool reconnected_ = false;
};

}  // namespace gpusched
