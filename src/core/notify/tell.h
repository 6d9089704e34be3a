// The one way to tell somebody something: a notice becomes a message in the outbox of each
// receiver, or is counted in one that waits there already.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/message.h"
#include "core/notify/target.h"
#include "core/state/state.h"

namespace gpusched {

// A notice that does not reach somebody, because there is no room for it.
struct Untold {
  Target target;
  std::string user;          // Whose room was full.
  std::optional<JobId> job;  // Of which it would have told.
  std::uint64_t times = 1;
  bool made_room = false;  // It was in the outbox, and made room for another user's.
};

// A notice is never counted in a message that is sent before an earlier notice of the same thread.
// Receivers that nobody knows are passed over. The outbox of each receiver is bounded: when it is
// full, the notice is counted in the last message. Addresses of users have a room of their own, in
// which one address, and one user, has a tenth at most. Where all of it is taken, who has most
// makes room for who has less, so that nobody's many addresses keep others from being told. What is
// not told is returned.
std::vector<Untold> tell(State& state, const Notice& notice, const std::vector<Target>& targets,
                         Now now);

}  // namespace gpusched
