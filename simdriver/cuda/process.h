// What this process has in the simulated world: its slot, its contexts, its memory. Begins with
// cuInit. A forked child has none of it and may call cuInit itself.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "simdriver/cuda/abi.h"
#include "simdriver/cuda/host_pages.h"
#include "simdriver/cuda/mps_client.h"
#include "simdriver/faults.h"
#include "simdriver/slots.h"
#include "simdriver/world.h"

namespace gpusched::simdriver::cuda {

struct Context {
  Ordinal ordinal = 0;
  std::uint32_t broken_generation = 0;  // Of the card, when the context was made.
};

struct Allocation {
  Context* context = nullptr;
  std::uint64_t bytes = 0;
};

class Process {
 public:
  Process(World world, OwnSlot own, std::vector<std::size_t> visible);

  const World& world() const { return world_; }
  std::size_t slot_number() const { return own_.number(); }
  Slot& slot() const { return world_.data().slots[own_.number()]; }
  void forget_slot() { own_.forget(); }
  HostPages& host_pages() { return host_pages_; }
  // It can no longer be moved, and has no more than its server lets it.
  void become_mps_client(MpsClient client);
  const std::optional<MpsClient>& mps() const { return mps_; }

  std::size_t device_count() const { return visible_.size(); }
  // REQUIRES: is_device(ordinal).
  std::size_t card_of(Ordinal ordinal) const { return visible_[static_cast<std::size_t>(ordinal)]; }
  bool is_device(Ordinal ordinal) const {
    return ordinal >= 0 && static_cast<std::size_t>(ordinal) < visible_.size();
  }
  // After a restore onto other cards: `map` has the new card for each old one.
  void remap(const std::uint8_t* map);

  // All of these take and give memory in the world, and return a Code.
  int make_context(Ordinal ordinal, Context** made);
  int end_context(Context* context);
  int retain_primary(Ordinal ordinal, Context** context);
  int release_primary(Ordinal ordinal);
  bool has_primary(Ordinal ordinal) const;
  int allocate(Context* context, std::uint64_t bytes, Address* address);
  int free(Address address);
  // Null: no such context (any more).
  Context* find_context(ContextHandle handle) const;
  // kSuccess, or how the card of this context is broken.
  int health_of(const Context& context) const;

 private:
  struct Primary {
    Context* context = nullptr;
    int users = 0;
  };
  int make_context_locked(Ordinal ordinal, Context** made);
  int end_context_locked(Context* context);

  World world_;
  OwnSlot own_;
  HostPages host_pages_;
  std::optional<MpsClient> mps_;
  std::vector<std::size_t> visible_;
  mutable std::mutex mutex_;  // Guards the rest.
  std::vector<std::unique_ptr<Context>> contexts_;
  std::map<Ordinal, Primary> primaries_;
  std::map<Address, Allocation> allocations_;
  Address next_address_ = 0x7f0000000000;
};

// Null before cuInit, and in a child that has not called it.
std::shared_ptr<Process> current_process();
int start_process();

// One call that concerns the card's state: waits at the gate while the process is locked, and
// keeps it open for as long as it lasts.
class Passage {
 public:
  explicit Passage(Slot& slot);
  ~Passage();
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

 private:
  Slot& slot_;
};

// The way of calls that go through the gate: initialised, faults, gate, body(process).
template <class Body>
int through_gate(const char* function, Body body) {
  const auto process = current_process();
  if (process == nullptr) return kNotInitialized;
  if (const int code = meet_faults(process->world(), function, kNoCard); code != 0) return code;
  const Passage passage(process->slot());
  return body(*process);
}

// The context that is current for this thread, null if there is none.
Context* current_context(const Process& process);
std::vector<ContextHandle>& context_stack();

}  // namespace gpusched::simdriver::cuda
