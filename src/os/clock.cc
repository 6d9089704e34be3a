#include "os/clock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "os/fd.h"

namespace gpusched {
namespace {

Microseconds read(clockid_t clock) {
  timespec time{};
  CHECK(::clock_gettime(clock, &time) == 0);
  return Microseconds{static_cast<std::int64_t>(time.tv_sec) * 1'000'000 + time.tv_nsec / 1000};
}

#ifdef __APPLE__
// There CLOCK_MONOTONIC is the one that goes on while the machine sleeps.
constexpr clockid_t kSinceBoot = CLOCK_MONOTONIC;
#else
constexpr clockid_t kSinceBoot = CLOCK_BOOTTIME;
#endif

}  // namespace

Now read_clock() { return {Wall{read(CLOCK_REALTIME)}, Boot{read(kSinceBoot)}}; }

void pause_for(std::chrono::milliseconds time) {
  ::poll(nullptr, 0, static_cast<int>(time.count()));
}

Result<std::string> read_boot_id() {
  constexpr const char* kPath = "/proc/sys/kernel/random/boot_id";
  const Fd file(::open(kPath, O_RDONLY | O_CLOEXEC));
  char text[64];
  const ssize_t length = file ? ::read(file.get(), text, sizeof text) : -1;
  if (length <= 0) {
    return failure(ErrorCode::kIo, fmt::format("read the boot id from {}: {}", kPath,
                                               length == 0 ? "it is empty" : strerror(errno)));
  }
  std::string id(text, static_cast<std::size_t>(length));
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

Seconds utc_offset_at(Wall at) {
  const time_t seconds = std::chrono::floor<Seconds>(at.time_since_epoch()).count();
  tm local{};
  if (::localtime_r(&seconds, &local) == nullptr) return Seconds{0};
  return Seconds{local.tm_gmtoff};
}

}  // namespace gpusched
