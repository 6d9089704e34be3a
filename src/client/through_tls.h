// A way to a daemon on the network: gpusched-tls speaks TLS for us, and says who has answered
// before anything is sent there.
#pragma once

#include "base/result.h"
#include "client/away.h"
#include "client/carrier.h"
#include "client/server.h"

namespace gpusched {

// `notice` is told of a certificate that is seen for the first time. REQUIRES: server.on_network()
// and server.tls.
Result<Carrier> connect_through_tls(const Server& server, Remark notice);

}  // namespace gpusched
