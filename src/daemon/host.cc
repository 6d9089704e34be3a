#include "daemon/host.h"

#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

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

Followable followable_with(std::uint64_t descriptors, std::uint64_t open, int clients) {
  // For what comes and goes: records that are read, a sampler or launcher that is started again.
  constexpr std::uint64_t kSpare = 16;
  // A client may read a log. A job has its shim, and for moments a way to speak to it.
  constexpr std::uint64_t kPerClient = 2;
  constexpr std::uint64_t kPerJob = 2;
  const std::uint64_t kept = open + kSpare;
  const std::uint64_t left = descriptors - std::min(descriptors, kept);
  // At least a few of each, or nobody could even look.
  const std::uint64_t served = std::clamp<std::uint64_t>(
      left / 2 / kPerClient, 4, static_cast<std::uint64_t>(std::max(clients, 4)));
  const std::uint64_t jobs = (left - std::min(left, served * kPerClient)) / kPerJob;
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  return {static_cast<int>(std::clamp<std::uint64_t>(jobs, 1, kMost)),
          std::min(clients, static_cast<int>(served))};
}

}  // namespace gpusched
