// Programs that are known to live on awake while they are away from their cards: their own threads
// leave alone what the driver has taken away. What is not known to is stopped.
#pragma once

#include <sys/types.h>

#include <string>

namespace gpusched::mover {

// `maps`: what a process has mapped, as the kernel lists it. PyTorch is known to live on, unless
// another of the large libraries that use a card is in there with it.
bool is_known_to_live_on(const std::string& maps);
bool is_known_to_live_on(pid_t process);

}  // namespace gpusched::mover
