#include "os/private_memory.h"

#include <sys/prctl.h>

namespace gpusched {

bool keep_memory_private() { return ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }

}  // namespace gpusched
