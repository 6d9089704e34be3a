#include "simdriver/nvml/session.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <mutex>
#include <utility>

#include "simdriver/immortal.h"

namespace gpusched::simdriver::nvml {
namespace {

// The library's interface has no object to hang this on: it is one per process by its nature.
struct Library {
  std::mutex mutex;
  int users = 0;
  std::shared_ptr<const Session> session;
  bool complained = false;
};
Library& library() {
  static const Immortal<Library> one;
  return *one;
}

std::array<char, kCardsMost> handles;

// Functions that older drivers do not have. Only those whose absence clients can tell from the
// answer: some look for the symbol alone, and a loaded library cannot hide one.
constexpr std::array<std::pair<std::string_view, std::uint32_t>, 8> kSince = {{
    {"nvmlDeviceGetProcessesUtilizationInfo", 550},
    {"nvmlDeviceGetRunningProcessDetailList", 535},
    {"nvmlDeviceGetCurrentClocksEventReasons", 535},
    {"nvmlDeviceGetMarginTemperature", 560},
    {"nvmlGpmSampleGet", 520},
    {"nvmlGpmQueryDeviceSupport", 520},
    {"nvmlGpmMetricsGet", 520},
    {"nvmlDeviceGetMemoryInfo_v2", 510},
}};

bool too_new(const World& world, std::string_view function) {
  const std::uint32_t driver = world.data().driver_major.load();
  if (driver >= 560) return false;
  for (const auto& [name, since] : kSince) {
    if (name == function) return driver < since;
  }
  return false;
}

bool is_stale(const Session& session) {
  return session.world.data().driver_generation.load() != session.driver_generation;
}

// False: there is no session, or one with a driver that is gone. The library is never unloaded, so
// a program that closes and opens it again without a shutdown comes here too.
bool join_session(Library& lib) {
  const std::lock_guard guard(lib.mutex);
  if (lib.users == 0 || is_stale(*lib.session)) return false;
  ++lib.users;
  return true;
}

int code_of(const Error& error) {
  return error.code == ErrorCode::kUnsupported ? kVersionMismatch : kDriverNotLoaded;
}

}  // namespace

int start_session() {
  Library& lib = library();
  if (join_session(lib)) return kSuccess;
  // Without the lock: the start may be told to hang, and nobody else may hang with it.
  auto world = World::open_from_environment();
  if (!world) {
    const std::lock_guard guard(lib.mutex);
    // The code alone would say "driver not loaded"; the person wants to know which file.
    if (!std::exchange(lib.complained, true)) {
      std::fprintf(stderr, "simulated libnvidia-ml.so.1: %s\n", world.error().message.c_str());
    }
    return code_of(world.error());
  }
  if (const int code = meet_faults(*world, "nvmlInit_v2", kNoCard); code != 0) return code;
  auto session = std::make_shared<Session>(Session{std::move(*world), 0, {}});
  session->driver_generation = session->world.data().driver_generation.load();
  for (std::size_t card = 0; card < session->world.card_count(); ++card) {
    if (session->world.data().states[card].lost.load() == 0) session->listed.push_back(card);
  }
  const std::lock_guard guard(lib.mutex);
  // Another thread may have been quicker.
  if (lib.users == 0 || is_stale(*lib.session)) lib.session = std::move(session);
  ++lib.users;
  return kSuccess;
}

int end_session() {
  Library& lib = library();
  const std::lock_guard guard(lib.mutex);
  if (lib.users == 0) return kUninitialized;
  if (--lib.users == 0) lib.session.reset();
  return kSuccess;
}

std::shared_ptr<const Session> current_session() {
  Library& lib = library();
  const std::lock_guard guard(lib.mutex);
  return lib.session;
}

Device handle_of(std::size_t card) { return &handles[card]; }

std::size_t card_of(Device device) {
  const auto at = reinterpret_cast<std::uintptr_t>(device);
  const auto first = reinterpret_cast<std::uintptr_t>(handles.data());
  return at >= first && at < first + handles.size() ? at - first : kCardsMost;
}

int admit(const Session* session, const char* function, std::int32_t card) {
  if (session == nullptr) return kUninitialized;
  const World& world = session->world;
  if (too_new(world, function) || is_missing(world, function)) return kFunctionNotFound;
  if (const int code = meet_faults(world, function, card); code != 0) return code;
  // Looked at after a hang, during which the driver may have been restarted.
  if (is_stale(*session)) return kVersionMismatch;
  if (card != kNoCard && world.data().states[card].lost.load() != 0) return kGpuIsLost;
  return kSuccess;
}

int need_root() { return ::geteuid() == 0 ? kSuccess : kNoPermission; }

}  // namespace gpusched::simdriver::nvml
