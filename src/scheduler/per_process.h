// A value that every process makes anew: after a fork the child must use neither its parent's
// connections nor its mutexes, which some thread that the child does not have may have locked. The
// child's copy of the parent's value is left as it is; T::abandon() lets go of what can be let go
// of without a lock.
#pragma once

#include <unistd.h>

#include <atomic>
#include <memory>

namespace gpusched::library {

template <class T>
class PerProcess {
 public:
  PerProcess() = default;
  PerProcess(const PerProcess&) = delete;
  PerProcess& operator=(const PerProcess&) = delete;
  ~PerProcess() {
    Slot* slot = slot_.load();
    if (slot != nullptr && slot->process == ::getpid()) delete slot;
  }

  T& get() {
    const pid_t process = ::getpid();
    Slot* slot = slot_.load();
    while (slot == nullptr || slot->process != process) {
      auto fresh = std::make_unique<Slot>();
      fresh->process = process;
      Slot* parents = slot;
      if (!slot_.compare_exchange_strong(slot, fresh.get())) continue;
      if (parents != nullptr) parents->value.abandon();
      slot = fresh.release();
    }
    return slot->value;
  }

 private:
  struct Slot {
    pid_t process = 0;
    T value;
  };
  std::atomic<Slot*> slot_{nullptr};
};

}  // namespace gpusched::library
