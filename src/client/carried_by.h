// A program that we start and speak with: ssh, or the one that knows TLS.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "client/carrier.h"

namespace gpusched {

// Its input and output are the carrier. It ends with that.
Result<Carrier> carried_by(const std::vector<std::string>& command);

}  // namespace gpusched
