// Who is it that asks? The only place that turns a proof into a principal. Today the proof is what
// the kernel says of a Unix socket's peer; another kind of proof is another overload.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "core/access/principal.h"
#include "http/types.h"

namespace gpusched {

// Administrators are root and the daemon's own user.
Role role_of(std::uint32_t uid, std::uint32_t daemon_uid);
// An error: a daemon that is not root's answers its own user and root alone.
Result<Principal> authenticate(const Peer& peer, std::uint32_t daemon_uid);

}  // namespace gpusched
