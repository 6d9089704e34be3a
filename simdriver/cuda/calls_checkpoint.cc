// The six calls by which one process moves another off its cards and back. The work itself is done
// by the target's restore thread; here is who may ask, and the asking.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "simdriver/card_use.h"
#include "simdriver/cuda/process.h"
#include "simdriver/futex.h"
#include "simdriver/lock_bytes.h"

namespace cuda = gpusched::simdriver::cuda;
using namespace gpusched::simdriver;

namespace {

constexpr std::uint32_t kCheckpointDriver = 570;
constexpr std::uint32_t kRemapDriver = 580;
constexpr std::uint64_t kLookAgainUs = 50000;

struct Order {
  Move move = Move::kNone;
  std::uint32_t timeout_ms = 0;
  const cuda::GpuPair* pairs = nullptr;
  std::uint32_t pair_count = 0;
};

std::optional<std::size_t> slot_of(const World& world, int pid) {
  std::optional<std::size_t> found;
  for_each_process(world, [&](std::size_t number, const Slot& slot) {
    if (slot.pid.load() == pid) found = number;
  });
  return found;
}

// 0, or why this caller may not touch that process.
int find_target(const World& world, const char* function, int pid, std::size_t& slot) {
  if (world.data().driver_major.load() < kCheckpointDriver) return cuda::kNotSupported;
  if (const int code = meet_faults(world, function, kNoCard); code != 0) return code;
  const auto found = slot_of(world, pid);
  if (!found) {
    const bool exists = pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM);
    return exists ? cuda::kNotInitialized : cuda::kInvalidValue;
  }
  const uid_t caller = ::geteuid();
  if (caller != 0 && caller != world.data().slots[*found].uid.load()) {
    return cuda::kOperatingSystem;
  }
  slot = *found;
  return cuda::kSuccess;
}

std::optional<std::size_t> card_of(const World& world, const cuda::Uuid& uuid) {
  for (std::size_t card = 0; card < world.card_count(); ++card) {
    if (std::memcmp(world.data().facts[card].uuid_bytes, uuid.bytes, sizeof uuid.bytes) == 0) {
      return card;
    }
  }
  return std::nullopt;
}

// Every card that the target can see must be named, and like must go to like.
int fill_map(const World& world, Slot& slot, const Order& order) {
  for (std::size_t card = 0; card < kCardsMost; ++card) {
    slot.request_map[card] = static_cast<std::uint8_t>(card);
  }
  slot.request_remaps.store(order.pair_count > 0 ? 1 : 0);
  if (order.pair_count == 0) return cuda::kSuccess;
  if (world.data().driver_major.load() < kRemapDriver || order.pairs == nullptr) {
    return cuda::kInvalidValue;
  }
  std::uint64_t named = 0;
  std::uint64_t reached = 0;
  for (std::uint32_t i = 0; i < order.pair_count; ++i) {
    const auto from = card_of(world, order.pairs[i].from);
    const auto to = card_of(world, order.pairs[i].to);
    if (!from || !to) return cuda::kInvalidValue;
    const auto& facts = world.data().facts;
    if (std::strcmp(facts[*from].model, facts[*to].model) != 0) return cuda::kInvalidValue;
    named |= std::uint64_t{1} << *from;
    reached |= std::uint64_t{1} << *to;
    slot.request_map[*from] = static_cast<std::uint8_t>(*to);
  }
  const bool all = (slot.visible_cards.load() & ~named) == 0;
  const bool distinct = std::popcount(named) == std::popcount(reached);
  return all && distinct ? cuda::kSuccess : cuda::kInvalidValue;
}

// False: the target died.
bool wait_until_done(const World& world, std::size_t number, std::uint32_t request) {
  Slot& slot = world.data().slots[number];
  const std::uint64_t life = world.data().slot_phase[number].load() >> 8;
  while (true) {
    const std::uint32_t done = slot.request_done.load();
    if (done == request) return true;
    futex_wait(slot.request_done, done, kLookAgainUs);
    if (!is_alive(world, number)) return false;
    if (world.data().slot_phase[number].load() >> 8 != life) return false;
  }
}

int ask(const char* function, int pid, const Order& order) {
  const auto process = cuda::current_process();
  if (process == nullptr) return cuda::kNotInitialized;
  const World& world = process->world();
  std::size_t number = 0;
  if (const int code = find_target(world, function, pid, number); code != 0) return code;
  // One asker at a time. The kernel takes this lock away from one that dies in the middle; what it
  // asked for is then finished before anything else.
  const gpusched::Fd fd = world.reopen();
  const off_t byte = kRequestBytes + static_cast<off_t>(number);
  if (!fd || !lock_byte(fd.get(), byte, LockWait::kYes)) return cuda::kOperatingSystem;
  Slot& slot = world.data().slots[number];
  if (!wait_until_done(world, number, slot.request_posted.load())) return cuda::kOperatingSystem;
  if (slot.pid.load() != pid) return cuda::kInvalidValue;
  if (const int code = fill_map(world, slot, order); code != cuda::kSuccess) return code;
  slot.request_move.store(static_cast<std::uint32_t>(order.move));
  slot.request_timeout_ms.store(order.timeout_ms);
  const std::uint32_t request = slot.request_posted.fetch_add(1) + 1;
  futex_wake(slot.request_posted);
  if (!wait_until_done(world, number, request)) return cuda::kOperatingSystem;
  return slot.request_result.load();
}

template <class Read>
int look(const char* function, int pid, const int* out, Read read) {
  const auto process = cuda::current_process();
  if (process == nullptr) return cuda::kNotInitialized;
  if (out == nullptr) return cuda::kInvalidValue;
  std::size_t number = 0;
  const int code = find_target(process->world(), function, pid, number);
  return code != cuda::kSuccess ? code : read(process->world().data().slots[number]);
}

}  // namespace

extern "C" {

int cuCheckpointProcessGetRestoreThreadId(int pid, int* thread) {
  return look(__func__, pid, thread, [thread](const Slot& slot) {
    *thread = slot.restore_thread.load();
    return *thread != 0 ? cuda::kSuccess : cuda::kNotInitialized;
  });
}

int cuCheckpointProcessGetState(int pid, int* state) {
  return look(__func__, pid, state, [state](const Slot& slot) {
    *state = static_cast<int>(slot.process_state.load());
    return cuda::kSuccess;
  });
}

int cuCheckpointProcessLock(int pid, const cuda::LockArguments* arguments) {
  return ask(__func__, pid, {Move::kLock, arguments == nullptr ? 0 : arguments->timeout_ms});
}

int cuCheckpointProcessCheckpoint(int pid, const cuda::CheckpointArguments*) {
  return ask(__func__, pid, {Move::kCheckpoint});
}

int cuCheckpointProcessRestore(int pid, const cuda::RestoreArguments* arguments) {
  Order order{Move::kRestore};
  if (arguments != nullptr) {
    order.pairs = arguments->pairs;
    order.pair_count = arguments->pair_count;
  }
  return ask(__func__, pid, order);
}

int cuCheckpointProcessUnlock(int pid, const cuda::UnlockArguments*) {
  return ask(__func__, pid, {Move::kUnlock});
}

// Not in the real library: host memory that checkpoints may still fill.
int gpuschedSimulatedHostMemory(std::uint64_t* bytes) {
  const auto process = cuda::current_process();
  if (process == nullptr || bytes == nullptr) return cuda::kNotInitialized;
  const std::uint64_t ram = process->world().data().host_ram_bytes.load();
  const std::uint64_t filled = saved_bytes_of_all(process->world());
  *bytes = ram == 0 ? std::uint64_t{1} << 60 : ram > filled ? ram - filled : 0;
  return cuda::kSuccess;
}

}  // extern "C"
