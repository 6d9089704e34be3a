// What the driver tells by itself: XIDs, memory errors, cards that need a reset. One set for all
// cards, waited for by one thread; cards are added by any.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "nvml/calls.h"
#include "watch/sample.h"

namespace gpusched::nvml {

class EventSource {
 public:
  explicit EventSource(std::shared_ptr<Library> library);
  ~EventSource();
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;

  void listen_to(Device device, const std::string& uuid);
  // False: no card of this driver tells anything.
  bool any() const;
  Result<std::vector<watch::CardEvent>> wait(std::chrono::milliseconds most);

 private:
  bool listens_to(Device device) const;

  std::shared_ptr<Library> library_;
  EventSet set_ = nullptr;
  mutable std::mutex mutex_;
  std::map<Device, std::string> uuids_;  // Of the cards that are listened to.
};

}  // namespace gpusched::nvml
