// What a job inherits from the process that submits it.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "cli/submit/submission.h"
#include "os/clock.h"

extern char** environ;

namespace gpusched::cli {
namespace {

constexpr int kResources = 16;  // RLIMIT_CPU … RLIMIT_RTTIME, the whole set of the kernel.

unsigned current_umask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

}  // namespace

Result<Surroundings> surroundings() {
  Surroundings around;
  char path[PATH_MAX];
  if (::getcwd(path, sizeof path) == nullptr) {
    return failure(ErrorCode::kIo, std::string("find the working directory: ") +
                                       std::strerror(errno) +
                                       "; name one with --cwd from a directory that exists");
  }
  around.working_directory = path;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    around.named.emplace_back(*entry);
    // A secret of ours is not for the job, its row or a backup, unless it is asked for by name.
    const bool secret = std::string_view(*entry).starts_with("GPUSCHED_TOKEN=");
    if (!secret) around.environment.emplace_back(*entry);
  }
  around.umask = current_umask();
  for (int resource = 0; resource < kResources; ++resource) {
    rlimit limit{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0) {
      around.limits.push_back({resource, limit.rlim_cur, limit.rlim_max});
    }
  }
  around.now = read_clock().wall;
  around.offset_at = utc_offset_at;  // Asked only if needed: it reads the time zone from disk.
  return around;
}

}  // namespace gpusched::cli
