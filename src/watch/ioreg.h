// The backend on `ioreg`, the registry of macOS: use and memory of the GPU of an Apple chip and
// the processes that have it open, without being root. Memory is the machine's own.
#pragma once

#include "watch/backend.h"
#include "watch/host.h"

namespace gpusched::watch {

Probed probe_ioreg(const Host& host);

}  // namespace gpusched::watch
