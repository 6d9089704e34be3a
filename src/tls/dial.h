// A TCP connection to a host by its name or address.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace gpusched {

// The first of its addresses that answers. The socket does not block. Gives up when the other end
// of `user`, a socket or pipe, is closed: nobody asks any more.
Result<Fd> dial(const std::string& host, const std::string& port, int user);

}  // namespace gpusched
