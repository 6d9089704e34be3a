// This terminal, or these pipes, as the job's: bytes both ways over the shim's control socket
// until the job has ended. On this machine the daemon takes no part in it and may restart
// meanwhile.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/control_link.h"
#include "cli/detach_keys.h"
#include "cli/signal_fd.h"
#include "jobdir/control_protocol.h"

namespace gpusched::cli {

struct AttachTerms {
  bool signals_detach = false;  // TERM and HUP leave the job; else they are the job's own.
  bool leave_at_once = false;   // The user has asked for it before.
  DetachKeys keys = {};
  std::string typed = {};  // Before it began; taken when it begins.
  // From afar: who comes back with the same one gets their place back.
  std::uint64_t key = 0;
  bool again = false;  // It had begun before, and the connection was lost.
  bool begun = false;  // Is set once it is attached.
};
struct AttachEnd {
  std::optional<JobExit> exit;  // None: detached, and the job goes on.
  int signal = 0;               // By which it was detached; 0: by keys.
  bool hung_up = false;         // The job was told to end.
};

// `signals` are passed on to the job unless the terms say otherwise;
// SIGWINCH as a window size; SIGHUP ends the attachment, and with it the job. kNotFound: the
// supervisor is not there yet, or no more. kUnavailable from afar: the connection was lost, and the
// job goes on.
Result<AttachEnd> attach_to(const AttemptPlace& place, SignalFd& signals, AttachTerms& terms);

}  // namespace gpusched::cli
