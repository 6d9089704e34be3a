// What is in the memory of this process stays there: no core file, and nobody of the same user
// reads it through /proc or a debugger. Root still can.
#pragma once

namespace gpusched {

// False: the kernel refuses. Programs that are started from here are as always.
bool keep_memory_private();

}  // namespace gpusched
