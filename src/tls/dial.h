// A TCP connection to a host by its name or address.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace gpusched {

// The first of its addresses that answers. The socket does not block.
Result<Fd> dial(const std::string& host, const std::string& port);

}  // namespace gpusched
