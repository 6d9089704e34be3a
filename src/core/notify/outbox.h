// What leaves the outbox, and what becomes of it. A receiver is sent one message at a time, of each
// of its lines in their order; a failure is tried again, later each time, until the receiver's
// give_up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/event.h"
#include "core/model/message.h"
#include "core/state/state.h"

namespace gpusched {

// A message that nobody will get, and why.
struct LostMessage {
  Message message;
  std::string why;
};

// Marks the messages that are due as on their way, and returns them. Those of receivers that are
// gone from the configuration are lost.
std::vector<Message> take_due(State& state, Now now, std::vector<LostMessage>& lost);
void settle(State& state, const MessagesSettled& settled, Now now, std::vector<LostMessage>& lost);

// The wait after so many failures: 5 s, doubling to 15 min, and up to a tenth more by the id, so
// that messages that failed together are not all tried together.
Microseconds message_back_off(std::uint32_t tries, std::uint64_t id);
// All those waits together, without the tenth. By this and not by a clock a message is given up.
Seconds waited_after(std::uint32_t tries);

}  // namespace gpusched
