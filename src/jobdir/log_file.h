// Reading a job's log. The middle of a large log may be punched out; offsets stay those of the
// file, readers jump over the hole (which begins after a line that says so).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "core/model/ids.h"
#include "core/model/job.h"
#include "os/fd.h"

namespace gpusched {

enum class LogStream { kOutput, kError };

// Opens what the attempt really writes to. `path` is absolute: what the user chose for that
// stream; empty: the log in the job directory. The daemon may be root and the path is the user's:
// it is followed and opened with the rights of `owner`, and only after it was seen to be the plain
// file that the shim opened.
Result<Fd> open_log(const std::string& state_directory, AttemptId attempt, LogStream stream,
                    const std::string& path, const Identity& owner);

struct LogPiece {
  std::string bytes;              // Empty: nothing there yet.
  std::uint64_t next_offset = 0;  // Where to go on; beyond offset + size after a hole.
};
Result<LogPiece> read_log(int log, std::uint64_t offset, std::size_t most);
// Up to `most` bytes from there that follow each other without a hole: where they begin, which may
// be behind a hole, and where they end.
struct LogStretch {
  std::uint64_t begin = 0, end = 0;
};
Result<LogStretch> log_stretch(int log, std::uint64_t offset, std::uint64_t most);
// Where the last `bytes` of output begin.
Result<std::uint64_t> log_tail_offset(int log, std::uint64_t bytes);

}  // namespace gpusched
