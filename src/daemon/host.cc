#include "daemon/host.h"

#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

namespace gpusched {

HostCapacity read_host_capacity() {
  HostCapacity host;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    host.cpus = CPU_COUNT(&allowed);
  } else {
    // More CPUs than the fixed set can name.
    host.cpus = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  }
  struct sysinfo info {};
  if (::sysinfo(&info) == 0) {
    host.ram_bytes = static_cast<std::uint64_t>(info.totalram) * info.mem_unit;
  }
  return host;
}

}  // namespace gpusched
