// Carries bytes between a TLS connection and two descriptors, such as stdin and stdout.
#pragma once

#include "base/result.h"
#include "os/fd.h"
#include "tls/session.h"

namespace gpusched {

// Shakes hands within `most_ms`, or until the other end of `user` is closed. kUnsupported: who
// answers speaks no TLS. REQUIRES: a connected socket that does not block.
Result<void> shake_hands(TlsSession& session, int socket, int most_ms, int user = -1);
// Until either side ends. An error: the connection broke. REQUIRES: SIGPIPE is ignored.
Result<void> pump(TlsSession& session, int socket, int in, int out);

}  // namespace gpusched
