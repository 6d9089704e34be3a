// Clients that wait for a lease, and connections that hold one.
#pragma once

#include "api/context.h"

namespace gpusched {

constexpr std::uint64_t kLeaseWaitMost = 7ULL * 24 * 3600 * 1000;

// Answers with the lease when it is granted or has ended, or after so long.
void wait_for_lease(Context& context, const Call& call, JobId lease, std::uint64_t wait_ms);
// The same when it is granted and its process is on its cards.
void wait_until_on_cards(Context& context, const Call& call, JobId lease, std::uint64_t wait_ms);
// The connection holds the lease: one line now and with every change, until the lease ends or the
// client leaves.
void hold_by_connection(Context& context, const Call& call, JobId lease);

}  // namespace gpusched
