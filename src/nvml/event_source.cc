#include "nvml/event_source.h"

#include <algorithm>

namespace gpusched::nvml {
namespace {

using Kind = watch::CardEvent::Kind;

// After the first one, what else is there is taken without waiting, up to this many.
constexpr std::size_t kEventsMost = 64;

Kind kind_of(u64 type) {
  if ((type & kEventXid) != 0) return Kind::kXid;
  if ((type & (kEventEccDouble | kEventPoison | kEventPoisonFatal)) != 0) return Kind::kEccDouble;
  if ((type & (kEventEccSingle | kEventSbeStorm)) != 0) return Kind::kEccSingle;
  if ((type & kEventUnavailable) != 0) return Kind::kUnavailable;
  if ((type & kEventRecovery) != 0) return Kind::kRecovery;
  if ((type & kEventClock) != 0) return Kind::kClock;
  return Kind::kOther;
}

}  // namespace

EventSource::EventSource(std::shared_ptr<Library> library) : library_(std::move(library)) {
  const Calls& calls = library_->calls();
  const bool complete = calls.event_set != nullptr && calls.event_set_free != nullptr &&
                        calls.supported_events != nullptr && calls.register_events != nullptr &&
                        calls.event_wait != nullptr;
  if (complete && calls.event_set(&set_) != kSuccess) set_ = nullptr;
}

EventSource::~EventSource() {
  if (set_ != nullptr) library_->calls().event_set_free(set_);
}

void EventSource::listen_to(Device device, const std::string& uuid) {
  if (set_ == nullptr || listens_to(device)) return;
  const Calls& calls = library_->calls();
  u64 supported = 0;
  if (calls.supported_events(device, &supported) != kSuccess) return;
  const u64 wanted = supported & kEventsWanted;
  if (wanted == 0 || calls.register_events(device, wanted, set_) != kSuccess) return;
  const std::lock_guard lock(mutex_);
  uuids_[device] = uuid;
}

bool EventSource::listens_to(Device device) const {
  const std::lock_guard lock(mutex_);
  return uuids_.contains(device);
}

bool EventSource::any() const {
  const std::lock_guard lock(mutex_);
  return !uuids_.empty();
}

Result<std::vector<watch::CardEvent>> EventSource::wait(std::chrono::milliseconds most) {
  std::vector<watch::CardEvent> events;
  if (set_ == nullptr) return events;
  auto left = static_cast<u32>(std::clamp<std::int64_t>(most.count(), 0, 60'000));
  while (events.size() < kEventsMost) {
    EventData data{};
    const int code = library_->calls().event_wait(set_, &data, left);
    if (code == kTimeout) break;
    if (code != kSuccess) {
      if (!events.empty()) break;
      return failure(library_->error_of("wait for events of the cards", code));
    }
    left = 0;
    watch::CardEvent event;
    event.kind = kind_of(data.type);
    if (event.kind == Kind::kXid) event.number = data.data;
    const std::lock_guard lock(mutex_);
    if (const auto found = uuids_.find(data.device); found != uuids_.end()) {
      event.uuid = found->second;
    }
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace gpusched::nvml
