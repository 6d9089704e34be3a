// GET /v1/jobs/{id}/log: raw bytes of an attempt's log, from an offset or the tail, and followed
// until the attempt has ended. Files are opened and read on a worker thread; growth is told by
// inotify.
#pragma once

#include <cstdint>
#include <optional>

#include "api/context.h"
#include "jobdir/log_file.h"

namespace gpusched {

struct LogAsked {
  JobId job{};
  std::optional<int> attempt;  // Absent: the latest.
  LogStream stream = LogStream::kOutput;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> tail;  // Only the last so many bytes.
  std::optional<std::uint64_t> most;  // Only the first so many of those, up to a hole.
  bool follow = false;
};

// Where the log of an attempt that was begun lies. An error: there is none.
struct LogOfAttempt {
  AttemptId attempt{};
  std::string path;  // Empty: in its directory.
};
Result<LogOfAttempt> log_of(const Job& job, const std::optional<int>& attempt, LogStream stream);
// Its log is made a moment after it was told to start.
bool log_is_to_come(const Job& job, AttemptId attempt);

// An error: they may not, or there is none.
Result<void> may_read_log(const Principal& who, const Job& job);
// REQUIRES: the caller may see the log of this job.
void send_log(Context& context, const LogAsked& asked, const Responder& responder);

}  // namespace gpusched
