// The program's loop: deliveries in on one descriptor, outcomes out on another, each in the
// journal first. Single-threaded, and never waits for a receiver itself.
#pragma once

#include "base/time.h"
#include "notifier/couriers.h"
#include "notifier/journal.h"

namespace gpusched::notifier {

struct NotifierOptions {
  int in = 0;
  int out = 1;
  Journal journal;
  Couriers::Work work;
};

// Until `in` ends and all that was begun has an end. Exit code.
int run_notifier(NotifierOptions options);

}  // namespace gpusched::notifier
