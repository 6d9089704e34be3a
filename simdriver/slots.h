// Slots: one per process that uses CUDA in the simulated world. Its process holds a lock on the
// slot, which the kernel takes away when it dies; whoever sees a slot without its lock buries it,
// and what it held is free from then on. The pid in a slot is for showing, never for deciding:
// numbers of processes are used again, locks are not.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "os/fd.h"
#include "simdriver/world.h"

namespace gpusched::simdriver {

inline SlotPhase phase_of(std::uint64_t word) { return static_cast<SlotPhase>(word & 0xff); }

// False: its process is gone; the slot is empty now.
bool is_alive(const World& world, std::size_t slot);

// Calls visit(slot number, slot) for each living process with a context on `card`.
template <class Visit>
void for_each_on_card(const World& world, std::size_t card, Visit visit) {
  const std::size_t end = world.data().slots_high_water.load();
  for (std::size_t slot = 0; slot < end; ++slot) {
    if (phase_of(world.data().slot_phase[slot].load()) == kEmpty) continue;
    if ((world.data().slot_cards[slot].load() >> card & 1) == 0) continue;
    if (is_alive(world, slot)) visit(slot, world.data().slots[slot]);
  }
}

// The same for every living process, with or without a context.
template <class Visit>
void for_each_process(const World& world, Visit visit) {
  const std::size_t end = world.data().slots_high_water.load();
  for (std::size_t slot = 0; slot < end; ++slot) {
    if (phase_of(world.data().slot_phase[slot].load()) == kEmpty) continue;
    if (is_alive(world, slot)) visit(slot, world.data().slots[slot]);
  }
}

// This process's slot. Lives as long as its descriptor, so a child must close it (see cuda/).
class OwnSlot {
 public:
  static Result<OwnSlot> claim(const World& world);
  OwnSlot(OwnSlot&&) = default;
  OwnSlot& operator=(OwnSlot&&) = default;

  std::size_t number() const { return number_; }
  // In a child: the lock stays with the parent.
  void forget() { fd_.reset(); }

 private:
  OwnSlot(Fd fd, std::size_t number) : fd_(std::move(fd)), number_(number) {}

  Fd fd_;
  std::size_t number_ = 0;
};

}  // namespace gpusched::simdriver
