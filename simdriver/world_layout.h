// The simulated world as it lies in its file: mapped by every process that uses the simulated
// driver, so it holds plain values and atomics only, never a pointer. Zero bytes are a valid start.
//
// Rules that keep it right when any process may be killed or frozen between two instructions:
// nobody waits for a lock that a job holds; what a process has on the cards is written by that
// process alone, in its own slot, and sums are made by whoever looks; a slot whose lock is free
// counts for nothing. A change of this file is a new kLayoutVersion.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gpusched::simdriver {

inline constexpr std::uint64_t kMagic = 0x444c524f57535347;  // "GSSWORLD" in a hex dump.
inline constexpr std::uint32_t kLayoutVersion = 2;

inline constexpr std::size_t kCardsMost = 64;
inline constexpr std::size_t kSlotsMost = 1024;
inline constexpr std::size_t kForeignMost = 256;
inline constexpr std::size_t kFaultsMost = 64;
inline constexpr std::size_t kEventsMost = 256;
inline constexpr std::size_t kAccountsMost = 4096;
inline constexpr std::size_t kNameMost = 64;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
using SharedU32 = std::atomic<std::uint32_t>;
using SharedI32 = std::atomic<std::int32_t>;
using SharedU64 = std::atomic<std::uint64_t>;

enum CardFeature : std::uint32_t {
  kHasEcc = 1,
  kHasGpm = 2,  // Also the versioned list of processes: both came with Hopper.
  kHasFan = 4,
  kHasDisplay = 8,
  kHasMig = 16,
  kHasRowRemapping = 32,
  kNvlinkSwitched = 64,  // Links end at switches, not at other cards.
};

// What the scenario says about a card. Never changes while the world exists.
struct CardFacts {
  char uuid[48];
  std::uint8_t uuid_bytes[16];
  char model[kNameMost];
  std::uint32_t pci_bus, pci_device_id;
  std::uint64_t vram_bytes, reserved_bytes;
  std::uint64_t context_bytes;  // What a CUDA context costs besides its allocations.
  std::uint32_t features;       // Of CardFeature.
  std::uint32_t architecture;   // As NVML counts them: 8 Ada, 9 Hopper.
  std::uint32_t capability_major, capability_minor, multiprocessors;
  std::uint32_t idle_mw, limit_mw, lowest_limit_mw;
  std::uint32_t ambient_c, full_load_c, slowdown_c, shutdown_c;
  std::uint32_t idle_clock_mhz, core_clock_mhz, memory_clock_mhz;
  std::uint32_t pcie_generation, pcie_width;
  std::uint32_t nvlink_links;  // 0: none.
  std::uint64_t nvlink_peers;  // One bit per card reached.
};

inline constexpr std::int32_t kAutomatic = -1;

// What may change, by use or by an injected fault.
struct CardState {
  SharedU32 lost;               // Fell off the bus.
  SharedU32 broken_generation;  // Counts errors that end every context on the card.
  SharedI32 busy_percent, memory_busy_percent, temperature_c, power_mw;  // kAutomatic: the model.
  SharedU64 clock_reasons;  // Added to those of the model.
  SharedU64 ecc[2][2];      // [corrected, uncorrected][volatile, aggregate]
  SharedU32 remapped_corrected, remapped_uncorrected, rows_pending, rows_failed;
  SharedU32 mig, persistence, compute_mode, accounting, recovery_action;
  SharedU64 unlisted_bytes;  // Held, but by no process in any list.
  SharedU64 power_limit_mw;
  SharedU64 energy_mj, energy_stamp_us;
};

enum class ProcessKind : std::uint32_t { kCompute = 0, kGraphics = 1, kMps = 2 };

// A process that exists in the world only.
struct ForeignProcess {
  SharedU32 used;
  std::int32_t pid;
  std::uint32_t card;
  ProcessKind kind;
  char name[kNameMost];
  char user[32];
  SharedU64 vram_bytes;
  SharedU32 busy_permille;
  std::uint64_t started_us;  // Wall clock.
};

enum class FaultKind : std::uint32_t { kNone, kHang, kSlow, kMissing, kReturn };

struct Fault {
  SharedU32 kind;            // Of FaultKind; written last.
  std::int32_t card;         // -1: every card, and calls that name none.
  std::int32_t value;        // Milliseconds, or the code to return.
  char function[kNameMost];  // "all", or a name.
};

struct Event {
  SharedU64 number;  // Its place in the order of all events, from 1; written last.
  std::uint32_t card;
  std::uint64_t type;  // NVML's bit.
  std::uint64_t value;
};

// A process that has ended, as accounting mode keeps it.
struct Account {
  SharedU64 number;  // As in Event.
  std::int32_t pid;
  std::uint32_t card;
  std::uint32_t busy_percent;
  std::uint64_t peak_bytes, run_ms, started_us;
};

// CUprocessState, and one more for the gate that closes before a process is locked.
enum ProcessState : std::uint32_t { kRunning = 0, kLocked = 1, kCheckpointed = 2, kFailed = 3 };

// Why a process cannot be moved: unified memory, or a card that it shares through MPS.
enum Unmovable : std::uint32_t { kMovable = 0, kManagedMemory = 1, kMpsClient = 2 };

enum class Move : std::uint32_t { kNone, kLock, kCheckpoint, kRestore, kUnlock };

// What one process has on one card.
struct SlotCard {
  SharedU64 bytes;   // Its context and its allocations.
  SharedU64 wanted;  // An allocation being decided; counts like bytes for everybody else.
  SharedU64 peak_bytes;
  SharedU32 demand_permille;
  SharedU64 busy_until_us;  // Monotonic: a frozen process stops renewing it.
  SharedU64 busy_product;   // Sum of permille times microseconds, for the account.
  SharedU64 started_us;     // Wall clock.
  SharedU64 saved_bytes;    // While checkpointed.
};

// One process that uses CUDA. Only that process writes here, except for the request.
struct Slot {
  SharedI32 pid, restore_thread;
  SharedU32 uid;
  char name[kNameMost];
  SharedU32 process_state;  // Of ProcessState; a futex for threads that wait at the gate.
  SharedU32 gate_closed;
  SharedU32 calls_in_flight;  // A futex for the thread that closes the gate.
  SharedU32 restore_failed;
  SharedU32 unmovable;  // Of Unmovable.
  SharedU64 visible_cards;
  SharedU64 saved_cards;
  SharedU32 request_posted, request_done;  // Numbers; equal when nothing is under way. Futexes.
  SharedU32 request_move;                  // Of Move.
  SharedU32 request_timeout_ms;
  SharedI32 request_result;
  SharedU32 request_remaps;
  std::uint8_t request_map[kCardsMost];  // Old card to new one.
  SlotCard cards[kCardsMost];
};

enum SlotPhase : std::uint64_t { kEmpty = 0, kLive = 1, kBurying = 2 };

struct WorldData {
  std::uint64_t magic;
  std::uint32_t layout_version;
  std::uint32_t card_count;
  std::uint64_t size;
  std::uint64_t scenario_digest;
  char scenario[kNameMost];
  std::uint64_t created_us;

  char driver_version[32];
  SharedU32 driver_major, cuda_version;
  SharedU32 driver_generation;  // Grows when the driver is restarted or updated.
  SharedU32 old_process_stride;
  SharedU32 checkpoint_out_mib_s, checkpoint_in_mib_s;  // 0: at once.
  SharedU32 checkpoint_fixed_ms;
  SharedU64 host_ram_bytes;  // That checkpoints may fill; 0: as much as they like.

  SharedU32 change_number;  // A futex: every event, fault and change of state wakes its waiters.
  SharedU64 events_posted, accounts_kept;
  SharedU32 fault_count;

  SharedU32 slots_high_water;
  SharedU64 slot_phase[kSlotsMost];  // Generation in the upper bits, SlotPhase in the lower eight.
  SharedU64 slot_cards[kSlotsMost];  // Cards on which it has a context; apart, to be quick to scan.

  CardFacts facts[kCardsMost];
  CardState states[kCardsMost];
  Fault faults[kFaultsMost];
  ForeignProcess foreign[kForeignMost];
  Event events[kEventsMost];
  Account accounts[kAccountsMost];
  Slot slots[kSlotsMost];
};

}  // namespace gpusched::simdriver
