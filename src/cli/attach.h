// This terminal, or these pipes, as the job's: bytes both ways over the shim's control socket
// until the job has ended. The daemon takes no part in it and may restart meanwhile.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/signal_fd.h"
#include "jobdir/control_protocol.h"

namespace gpusched::cli {

// Nullopt: the user has detached, and the job goes on. `directory` is the attempt's. `signals` are
// passed on to the job; SIGWINCH as a window size, SIGHUP ends the attachment. kNotFound: the
// supervisor is not there yet, or no more.
Result<std::optional<JobExit>> attach_to(const std::string& directory, SignalFd& signals);

}  // namespace gpusched::cli
