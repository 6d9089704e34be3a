// Events: XIDs, ECC errors, changes of the driver's advice. A waiter sleeps on the world's change
// number, so an event arrives when it is posted and not at the next look.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <set>

#include "simdriver/clock.h"
#include "simdriver/futex.h"
#include "simdriver/immortal.h"
#include "simdriver/nvml/session.h"

namespace nvml = gpusched::simdriver::nvml;
using namespace gpusched::simdriver;
using nvml::Device;

namespace {

constexpr std::uint64_t kEccEvents = 0x1 | 0x2;
constexpr std::uint64_t kOtherEvents = 0x8 | 0x10 | 0x4000 | 0x8000;

struct Set {
  std::mutex mutex;
  std::array<std::uint64_t, kCardsMost> types{};
  std::uint64_t last = 0;  // The newest event that was looked at.
};

// Sets that exist: a freed or invented pointer is an argument error, not a crash.
struct Sets {
  std::mutex mutex;
  std::set<std::shared_ptr<Set>> all;
};
Sets& sets() {
  static const Immortal<Sets> one;
  return *one;
}

std::shared_ptr<Set> find_set(nvml::EventSet handle) {
  const std::lock_guard guard(sets().mutex);
  const auto found =
      std::ranges::find_if(sets().all, [&](const auto& each) { return each.get() == handle; });
  return found == sets().all.end() ? nullptr : *found;
}

std::uint64_t supported_by(const nvml::CardCall& call) {
  return kOtherEvents | (call.has(kHasEcc) ? kEccEvents : 0);
}

// The next event that the set asked for.
bool take_event(const World& world, Set& set, nvml::EventData& data) {
  const std::lock_guard guard(set.mutex);
  const std::uint64_t newest = world.data().events_posted.load();
  if (newest > kEventsMost && set.last < newest - kEventsMost) set.last = newest - kEventsMost;
  while (set.last < newest) {
    const Event& event = world.data().events[++set.last % kEventsMost];
    if (event.number.load() != set.last) continue;
    if ((set.types[event.card] & event.type) == 0) continue;
    data = {nvml::handle_of(event.card), event.type, event.value, 0xffffffff, 0xffffffff};
    return true;
  }
  return false;
}

int wait_for_event(const char* function, nvml::EventSet handle, nvml::EventData* data,
                   unsigned timeout_ms) {
  const auto set = find_set(handle);
  if (set == nullptr || data == nullptr) return nvml::kInvalidArgument;
  const std::uint64_t end = monotonic_us() + std::uint64_t{timeout_ms} * 1000;
  while (true) {
    // Once per round: a restart of the driver ends a wait as well.
    const auto session = nvml::current_session();
    const int code = nvml::admit(session.get(), function, kNoCard);
    if (code != nvml::kSuccess) return code;
    SharedU32& changes = session->world.data().change_number;
    const std::uint32_t seen = changes.load();
    if (take_event(session->world, *set, *data)) return nvml::kSuccess;
    const std::uint64_t now = monotonic_us();
    if (now >= end) return nvml::kTimeout;
    futex_wait(changes, seen, end - now);
  }
}

}  // namespace

extern "C" {

int nvmlEventSetCreate(nvml::EventSet* handle) {
  return nvml::on_driver(__func__, [&](const nvml::Session& session) -> int {
    if (handle == nullptr) return nvml::kInvalidArgument;
    auto set = std::make_shared<Set>();
    set->last = session.world.data().events_posted.load();
    *handle = set.get();
    const std::lock_guard guard(sets().mutex);
    sets().all.insert(std::move(set));
    return nvml::kSuccess;
  });
}

int nvmlEventSetFree(nvml::EventSet handle) {
  const auto set = find_set(handle);
  if (set == nullptr) return nvml::kInvalidArgument;
  const std::lock_guard guard(sets().mutex);
  sets().all.erase(set);
  return nvml::kSuccess;
}

int nvmlDeviceGetSupportedEventTypes(Device device, unsigned long long* types) {
  return nvml::on_card(__func__, device, types, [](const nvml::CardCall& call, auto& out) {
    out = supported_by(call);
    return nvml::kSuccess;
  });
}

int nvmlDeviceRegisterEvents(Device device, unsigned long long types, nvml::EventSet handle) {
  return nvml::on_card(__func__, device, [&](const nvml::CardCall& call) -> int {
    const auto set = find_set(handle);
    if (set == nullptr || types == 0) return nvml::kInvalidArgument;
    if ((types & ~supported_by(call)) != 0) return nvml::kNotSupported;
    const std::lock_guard guard(set->mutex);
    set->types[call.card] |= types;
    return nvml::kSuccess;
  });
}

int nvmlEventSetWait(nvml::EventSet handle, nvml::EventData* data, unsigned timeout_ms) {
  return wait_for_event(__func__, handle, data, timeout_ms);
}
int nvmlEventSetWait_v2(nvml::EventSet handle, nvml::EventData* data, unsigned timeout_ms) {
  return wait_for_event(__func__, handle, data, timeout_ms);
}

}  // extern "C"
