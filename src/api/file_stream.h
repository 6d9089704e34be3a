// A file as the body of an answer, read piece by piece on a worker thread.
#pragma once

#include "api/context.h"
#include "os/fd.h"

namespace gpusched {

// Sends the whole of `file` as bytes. The answer breaks off if reading fails.
void send_file(Context& context, Fd file, const Responder& responder);

}  // namespace gpusched
