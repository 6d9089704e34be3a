// What waits to be delivered, and what became of messages that try out a receiver.
#pragma once

#include <vector>

#include "base/time.h"
#include "cli/flags.h"
#include "client/client.h"
#include "wire/messages/alarm.h"

namespace gpusched::cli {

// `alerts outbox`.
int list_outbox(const Arguments& arguments);
// As long as a try of a receiver lasts, unless the configuration says otherwise, and a little more.
inline constexpr Seconds kTestPatience{12};
// Says of each message what became of it, for so long. The exit code: whether all arrived.
int watch_tests(const Client& client, std::vector<wire::AlarmTestMessage> messages,
                Seconds patience);

}  // namespace gpusched::cli
