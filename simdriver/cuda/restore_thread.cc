#include "simdriver/cuda/restore_thread.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "simdriver/card_use.h"
#include "simdriver/clock.h"
#include "simdriver/futex.h"

namespace gpusched::simdriver::cuda {
namespace {

constexpr std::uint64_t kRestoreLookAgainUs = 1000000;

template <class Visit>
void for_each_card(std::uint64_t cards, Visit visit) {
  for (; cards != 0; cards &= cards - 1) visit(static_cast<std::size_t>(std::countr_zero(cards)));
}

void pause_for(const World& world, std::uint64_t bytes, std::uint32_t mib_s) {
  std::uint64_t us = std::uint64_t{world.data().checkpoint_fixed_ms.load()} * 1000;
  if (mib_s != 0) us += (bytes >> 20) * 1000000 / mib_s;
  if (us != 0) pause_us(us);
}

void open_gate(Slot& slot) {
  slot.gate_closed.store(0);
  futex_wake(slot.gate_closed);
}

int lock(Slot& slot) {
  if (slot.restore_failed.load() != 0) return kOperatingSystem;
  if (slot.process_state.load() != kRunning) return kIllegalState;
  if (slot.unmovable.load() == kMpsClient) return kNotSupported;
  const std::uint32_t timeout_ms = slot.request_timeout_ms.load();
  const std::uint64_t end = monotonic_us() + std::uint64_t{timeout_ms} * 1000;
  slot.gate_closed.store(1);
  // Work under way runs to its end first.
  while (const std::uint32_t calls = slot.calls_in_flight.load()) {
    const std::uint64_t now = monotonic_us();
    if (timeout_ms != 0 && now >= end) {
      open_gate(slot);
      return kNotReady;
    }
    const std::uint64_t wait = timeout_ms == 0 ? kRestoreLookAgainUs : end - now;
    futex_wait(slot.calls_in_flight, calls, std::min(wait, kRestoreLookAgainUs));
  }
  slot.process_state.store(kLocked);
  return kSuccess;
}

int unlock(Slot& slot) {
  if (slot.process_state.load() != kLocked) return kIllegalState;
  slot.process_state.store(kRunning);
  open_gate(slot);
  return kSuccess;
}

// What VRAM of others fills of the host's memory.
bool host_has_room(const World& world, std::uint64_t bytes) {
  const std::uint64_t ram = world.data().host_ram_bytes.load();
  return ram == 0 || saved_bytes_of_all(world) + bytes <= ram;
}

int checkpoint(Process& process) {
  const World& world = process.world();
  const std::size_t number = process.slot_number();
  Slot& slot = process.slot();
  if (slot.unmovable.load() == kManagedMemory) return kNotSupported;
  if (slot.restore_failed.load() != 0) return kOperatingSystem;
  if (slot.process_state.load() != kLocked) return kIllegalState;
  SharedU64& on_cards = world.data().slot_cards[number];
  const std::uint64_t cards = on_cards.load();
  std::uint64_t bytes = 0;
  bool sliced = false;
  for_each_card(cards, [&](std::size_t card) {
    bytes += slot.cards[card].bytes.load();
    sliced |= world.data().states[card].mig.load() != 0;
  });
  if (sliced) return kOutOfMemory;  // So says the real one under MIG.
  if (!host_has_room(world, bytes)) return kOutOfMemory;
  process.host_pages().take_away();
  pause_for(world, bytes, world.data().checkpoint_out_mib_s.load());
  for_each_card(cards, [&](std::size_t card) {
    slot.cards[card].saved_bytes.store(slot.cards[card].bytes.load());
    slot.cards[card].demand_permille.store(0);
  });
  slot.saved_cards.store(cards);
  on_cards.store(0);
  for_each_card(cards, [&](std::size_t card) { slot.cards[card].bytes.store(0); });
  slot.process_state.store(kCheckpointed);
  return kSuccess;
}

// Takes the memory on every card, or on none.
bool take_back(const World& world, std::size_t number, const std::uint8_t* map) {
  Slot& slot = world.data().slots[number];
  const std::uint64_t cards = slot.saved_cards.load();
  std::uint64_t taken = 0;
  bool fits = true;
  for_each_card(cards, [&](std::size_t card) {
    const std::size_t to = map[card];
    if (!fits) return;
    world.data().slot_cards[number].fetch_or(std::uint64_t{1} << to);
    fits = world.data().states[to].lost.load() == 0 &&
           take_bytes(world, number, to, slot.cards[card].saved_bytes.load());
    if (fits) taken |= std::uint64_t{1} << card;
  });
  if (fits) return true;
  for_each_card(taken, [&](std::size_t card) {
    give_bytes(world, number, map[card], slot.cards[card].saved_bytes.load());
  });
  world.data().slot_cards[number].store(0);
  return false;
}

int restore(Process& process) {
  const World& world = process.world();
  Slot& slot = process.slot();
  if (slot.restore_failed.load() != 0) return kOperatingSystem;
  if (slot.process_state.load() != kCheckpointed) return kIllegalState;
  std::uint64_t bytes = 0;
  for_each_card(slot.saved_cards.load(),
                [&](std::size_t card) { bytes += slot.cards[card].saved_bytes.load(); });
  if (!take_back(world, process.slot_number(), slot.request_map)) {
    // The law that makes schedulers careful: what did not fit once never comes back.
    slot.restore_failed.store(1);
    return kOutOfMemory;
  }
  if (slot.request_remaps.load() != 0) {
    for_each_card(slot.saved_cards.load(), [&](std::size_t card) {
      SlotCard& now = slot.cards[slot.request_map[card]];
      if (now.started_us.load() == 0) now.started_us.store(slot.cards[card].started_us.load());
    });
    process.remap(slot.request_map);
  }
  pause_for(world, bytes, world.data().checkpoint_in_mib_s.load());
  process.host_pages().bring_back();
  slot.process_state.store(kLocked);
  return kSuccess;
}

int make_move(Process& process) {
  switch (static_cast<Move>(process.slot().request_move.load())) {
    case Move::kLock:
      return lock(process.slot());
    case Move::kCheckpoint:
      return checkpoint(process);
    case Move::kRestore:
      return restore(process);
    case Move::kUnlock:
      return unlock(process.slot());
    case Move::kNone:
      break;
  }
  return kInvalidValue;
}

void* serve(void* argument) {
  const std::unique_ptr<std::shared_ptr<Process>> process(
      static_cast<std::shared_ptr<Process>*>(argument));
  Slot& slot = (*process)->slot();
  ::pthread_setname_np(::pthread_self(), "cuda-restore");  // Its threads are told by their names.
  slot.restore_thread.store(static_cast<std::int32_t>(::syscall(SYS_gettid)));
  while (true) {
    const std::uint32_t posted = slot.request_posted.load();
    if (posted == slot.request_done.load()) {
      futex_wait(slot.request_posted, posted, kRestoreLookAgainUs * 3600);
      continue;
    }
    slot.request_result.store(make_move(**process));
    slot.request_done.store(posted);
    futex_wake(slot.request_done);
  }
}

}  // namespace

bool start_restore_thread(const std::shared_ptr<Process>& process) {
  // The program's signals are not for this thread.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  auto argument = std::make_unique<std::shared_ptr<Process>>(process);
  pthread_t thread{};
  const bool started = ::pthread_create(&thread, nullptr, serve, argument.get()) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started) return false;
  argument.release();
  ::pthread_detach(thread);
  // From the end of cuInit on everybody can find it.
  while (process->slot().restore_thread.load() == 0) pause_us(100);
  return true;
}

}  // namespace gpusched::simdriver::cuda
