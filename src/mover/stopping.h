// Stopping the processes of an attempt and letting them run, as its supervisor does it: by its
// control group, else by signals. The mover does it itself, because what has left the cards must
// never run, not even for a moment: it is stopped while its threads are held, and held while it is
// woken.
#pragma once

#include <sys/types.h>

#include <vector>

#include "mover/victims.h"

namespace gpusched::mover {

// One whose other threads are held: it shows that the process is stopped, and what the driver
// needs to be awake.
struct SparedThread {
  pid_t process = 0;
  pid_t thread = 0;
};

// `only`: these and nobody else, where there is no group; empty: all.
void stop_all(const Where& where, const std::vector<pid_t>& only,
              const std::vector<SparedThread>& spared);
// Nullopt: all of the spared run. Else the process of one that somebody else keeps stopped.
std::optional<pid_t> wake_all(const Where& where, const std::vector<SparedThread>& spared);

}  // namespace gpusched::mover
