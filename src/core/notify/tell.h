// The one way to tell somebody something: a notice becomes a message in the outbox of each
// receiver, or is counted in one that waits there already.
#pragma once

#include <string>
#include <vector>

#include "core/model/message.h"
#include "core/notify/target.h"
#include "core/state/state.h"

namespace gpusched {

// A notice is never counted in a message that is sent before an earlier notice of the same thread.
// Receivers that nobody knows are passed over. The outbox of each receiver is bounded: when it is
// full, the notice is counted in the last message. Addresses of users have a room of their own, in
// which one address has a tenth at most; a further address than there is room for gets nothing.
void tell(State& state, const Notice& notice, const std::vector<Target>& targets, Now now);

}  // namespace gpusched
