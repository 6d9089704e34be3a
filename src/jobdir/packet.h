// One packet on a SOCK_SEQPACKET socket, with at most a few descriptors riding along. The only
// place that knows the shape of control messages (cmsg).
#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

#include "os/fd.h"

namespace gpusched {

// Returns 0 or the errno; never raises SIGPIPE. `flags` as for sendmsg.
int send_packet(int socket, std::string_view bytes, const std::vector<int>& passed = {},
                int flags = 0);

// Bytes read; 0 when the other side is gone; -1 with errno. A packet larger than the buffer is
// dropped whole and reported as -1 with EMSGSIZE. Received descriptors are close-on-exec.
ssize_t receive_packet(int socket, char* buffer, std::size_t size, std::vector<Fd>& passed,
                       int flags = 0);

}  // namespace gpusched
