// The log of one job while it grows, over whatever lies in between: from where the last connection
// broke, and by asking where nothing comes through before it is complete.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "cli/logs/last_lines.h"
#include "client/client.h"

namespace gpusched::cli {

// Everything from `offset` on, to stdout; advances `offset` by what was printed.
Result<void> copy_log(const Client& client, const LogRequest& log, std::uint64_t& offset);
// The same until the attempt is over.
Result<void> follow_log(const Client& client, const LogRequest& log, std::uint64_t offset);

// A stream that is silent for so long is opened again where it may have died unseen. A job may be
// silent for days, so nothing is said of it.
inline constexpr std::chrono::milliseconds kLogSilence{50'000};
// How often is asked where no stream comes through.
inline constexpr std::chrono::milliseconds kAskForLogEvery{2'000};

}  // namespace gpusched::cli
