// /v1/events as a sequence of changes that survives a restart of the daemon and a network that
// breaks: the connection is made again for up to 30 s and goes on after the last change seen. Where
// something on the way keeps the stream back, the rows are asked for instead.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "base/time.h"
#include "client/asked_changes.h"
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
  // For tests: how long a stream may be silent, from its beginning and later; how often is asked.
  struct Pace {
    std::chrono::milliseconds first;
    std::chrono::milliseconds silence;
    std::chrono::milliseconds ask_every;
  };
  void set_pace(Pace pace) { pace_ = pace; }

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
  // True: no stream comes through.
  bool asks() const { return asked_.has_value(); }

 private:
  Result<void> connect(Stage& stage);
  Result<void> reconnect();
  Result<void> ask_instead();
  Result<Next> next_asked(Boot deadline, int other_fd, int another_fd);
  Result<bool> take_more();
  std::optional<Next> take_pending();
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
  bool heard_any_ = false;         // On this connection.
  bool reconnected_ = false;
  Pace pace_;
  std::optional<AskedChanges> asked_;
  Boot asked_at_{};
};

}  // namespace gpusched
