// A shim: the process that claims one attempt, starts its command and stays with it to the end.
// It is the launcher's binary going on after a fork, so that starting one costs no exec.
// Rule: nothing runs before the claim is won, and nothing is left running when `exit` is written.
#pragma once

#include <string>

#include "core/model/ids.h"
#include "launcher/shim_settings.h"
#include "os/fd.h"

namespace gpusched {

struct SpareEntries;

// Waits for the byte that starts what was made ready. False: it is not to run.
bool wait_for_go(int go);

// Runs one attempt from claim to exit record. `order` as encode_order() made it. With `go`, all is
// made ready and then waits there: a byte starts it, the end of the other side ends it.
// `spare`: entries made beforehand; null: none.
void run_shim(const ShimSettings& settings, AttemptId attempt, const std::string& order, Fd go,
              SpareEntries* spare);

}  // namespace gpusched
