#include "simdriver/slots.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

#include "simdriver/clock.h"
#include "simdriver/lock_bytes.h"

namespace gpusched::simdriver {
namespace {

off_t byte_of(std::size_t slot) { return kSlotBytes + static_cast<off_t>(slot); }

void keep_account(WorldData& data, const Slot& slot, std::size_t card) {
  const SlotCard& held = slot.cards[card];
  const std::uint64_t now = wall_us();
  const std::uint64_t started = held.started_us.load();
  const std::uint64_t run_us = now > started ? now - started : 0;
  const std::uint64_t number = data.accounts_kept.fetch_add(1) + 1;
  Account& account = data.accounts[number % kAccountsMost];
  account.number.store(0);
  account.pid = slot.pid.load();
  account.card = static_cast<std::uint32_t>(card);
  account.peak_bytes = held.peak_bytes.load();
  account.run_ms = run_us / 1000;
  account.started_us = started;
  account.busy_percent =
      run_us == 0 ? 0 : static_cast<std::uint32_t>(held.busy_product.load() / run_us / 10);
  account.number.store(number);
}

// REQUIRES: a lock on the slot that keeps others from claiming it.
void empty_slot(WorldData& data, std::size_t number) {
  std::uint64_t word = data.slot_phase[number].load();
  if (phase_of(word) == kEmpty) return;
  // From here on it counts for nobody, whatever happens to us.
  const std::uint64_t burying = (word & ~std::uint64_t{0xff}) | kBurying;
  const bool was_live = phase_of(word) == kLive;
  if (!data.slot_phase[number].compare_exchange_strong(word, burying)) return;
  const Slot& slot = data.slots[number];
  for (std::size_t card = 0; was_live && card < data.card_count; ++card) {
    if (slot.cards[card].started_us.load() == 0) continue;
    if (data.states[card].accounting.load() != 0) keep_account(data, slot, card);
  }
  data.slot_cards[number].store(0);
  data.slot_phase[number].store((word & ~std::uint64_t{0xff}) | kEmpty);
}

void bury(const World& world, std::size_t slot) {
  // Threads share the description of fd(), so its lock does not keep them apart.
  static std::mutex mutex;
  const std::lock_guard guard(mutex);
  // A read lock: others can tell who only buries from who lives.
  if (!lock_byte(world.fd(), byte_of(slot), LockWait::kNo, F_RDLCK)) return;
  empty_slot(world.data(), slot);
  unlock_byte(world.fd(), byte_of(slot));
}

void read_own_name(char (&name)[kNameMost]) {
  Fd fd(::open("/proc/self/comm", O_RDONLY | O_CLOEXEC));
  const ssize_t size = fd ? ::read(fd.get(), name, sizeof name - 1) : 0;
  const std::size_t length = size > 0 ? static_cast<std::size_t>(size) : 0;
  name[length > 0 && name[length - 1] == '\n' ? length - 1 : length] = '\0';
}

void move_in(WorldData& data, std::size_t number) {
  Slot& slot = data.slots[number];
  const std::uint32_t requests = slot.request_done.load();
  // Plain bytes: nobody else looks at a slot that is not live.
  std::memset(static_cast<void*>(&slot), 0, sizeof slot);
  // Numbers of requests go on, so that a caller that was meant for the last owner sees an end.
  slot.request_posted.store(requests);
  slot.request_done.store(requests);
  slot.pid.store(::getpid());
  slot.uid.store(::geteuid());
  read_own_name(slot.name);
  const std::uint64_t generation = (data.slot_phase[number].load() >> 8) + 1;
  data.slot_cards[number].store(0);
  data.slot_phase[number].store(generation << 8 | kLive);
  std::uint32_t high = data.slots_high_water.load();
  const auto wanted = static_cast<std::uint32_t>(number + 1);
  while (high < wanted && !data.slots_high_water.compare_exchange_weak(high, wanted)) {
  }
}

}  // namespace

bool is_alive(const World& world, std::size_t slot) {
  if (phase_of(world.data().slot_phase[slot].load()) != kLive) return false;
  if (lock_on_byte(world.fd(), byte_of(slot)) == F_WRLCK) {
    return phase_of(world.data().slot_phase[slot].load()) == kLive;
  }
  bury(world, slot);
  return false;
}

Result<OwnSlot> OwnSlot::claim(const World& world) {
  Fd fd = world.reopen();
  if (!fd) {
    return failure(ErrorCode::kIo,
                   "open the simulated world " + world.path() + ": " + std::strerror(errno));
  }
  for (std::size_t number = 0; number < kSlotsMost; ++number) {
    if (!lock_byte(fd.get(), byte_of(number), LockWait::kNo)) continue;
    empty_slot(world.data(), number);
    move_in(world.data(), number);
    return OwnSlot(std::move(fd), number);
  }
  return failure(ErrorCode::kBusy, "every place for a process in " + world.path() + " is taken");
}

}  // namespace gpusched::simdriver
