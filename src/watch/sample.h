// What can be seen of a card. Every field of a sample is optional: absent is unknown, never zero.
// Portable: this folder builds on a Mac too, so nothing of one operating system is included here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpusched::watch {

enum class Vendor { kNvidia, kAmd, kIntel, kApple };

// What does not change while a driver is loaded.
struct CardIdentity {
  std::string uuid;  // "GPU-…"; where a vendor has none: "amd-<unique id or PCI>", stable anyway.
  std::string pci;   // "00000000:3B:00.0", upper case, domain of eight digits; empty: none.
  std::string model;
  Vendor vendor = Vendor::kNvidia;
  std::optional<std::uint64_t> vram_bytes;      // Total.
  std::optional<std::uint64_t> reserved_bytes;  // Kept by the driver; part of the total.
  std::optional<int> minor;                     // N of /dev/nvidiaN, /dev/dri/cardN.
  std::optional<bool> integrated;               // Shares the host's memory.
  std::vector<std::string> nvlink_neighbours;   // PCI ids of directly linked cards.
};

// Why clocks are lower than they could be.
enum Throttle : std::uint32_t {
  kThrottleIdle = 1,
  kThrottleSetting = 2,   // Application clocks, sync boost, display.
  kThrottlePower = 4,     // Software power cap.
  kThrottleHardware = 8,  // Hardware slowdown without a nearer cause.
  kThrottleSoftThermal = 16,
  kThrottleHardThermal = 32,
  kThrottlePowerBrake = 64,
};

enum class ComputeMode { kDefault, kProhibited, kExclusiveProcess };
// What the driver itself asks for to get the card back into order.
enum class Recovery { kNone, kReset, kReboot, kDrainPeers, kDrainAndReset };

struct CardSample {
  std::optional<std::uint64_t> vram_bytes, reserved_bytes, used_bytes;  // used: without reserved.
  std::optional<double> busy_percent;         // Share of time with any kernel running.
  std::optional<double> memory_busy_percent;  // The same for memory traffic.
  std::optional<double> sm_active_percent;    // Of all multiprocessors, where the card measures it.
  std::optional<double> dram_active_percent;
  std::optional<double> power_watts, power_limit_watts;
  std::optional<double> energy_joules;  // A counter; differences count.
  std::optional<double> temperature_c, memory_temperature_c, slowdown_temperature_c;
  std::optional<int> fan_percent;
  std::optional<int> core_clock_mhz, memory_clock_mhz;
  std::optional<std::uint32_t> throttle;                        // Of Throttle.
  std::optional<std::uint64_t> ecc_corrected, ecc_uncorrected;  // Since the driver was loaded.
  std::optional<bool> rows_pending, rows_failed;                // Row remapping.
  std::optional<int> pcie_generation, pcie_width;
  std::optional<double> pcie_sent_mib_s, pcie_received_mib_s;
  std::optional<bool> mig, persistence, accounting;
  std::optional<ComputeMode> compute_mode;
  std::optional<Recovery> recovery;
};

enum class ProcessKind { kCompute, kGraphics, kMps };

// One process as the driver lists it. Who it belongs to is found out elsewhere (sampler/).
struct ProcessSample {
  int pid = 0;
  ProcessKind kind = ProcessKind::kCompute;
  std::optional<std::uint64_t> vram_bytes;
  std::optional<double> busy_percent;  // Its own share; absent is unknown, an idle one has 0.
  std::optional<double> memory_busy_percent;
  std::string name;  // Only where the backend has it for free; else empty.
};

// A process that has ended, by the driver's own accounting.
struct ProcessAccount {
  int pid = 0;
  std::optional<std::uint64_t> peak_vram_bytes;
  std::optional<double> busy_percent;
  std::optional<std::int64_t> run_ms;
};

struct CardEvent {
  enum class Kind { kXid, kEccSingle, kEccDouble, kUnavailable, kRecovery, kClock, kOther };
  std::string uuid;  // Empty: not known which card.
  Kind kind = Kind::kOther;
  std::uint64_t number = 0;  // The XID.
};

}  // namespace gpusched::watch
