// The binary interface of NVIDIA's management library, as far as it is used here. The library's own
// header is not needed to build: its layouts are a promise that it keeps over versions, and every
// size is checked below. Structures that begin with a version are refused by a driver that does not
// know it (kVersionMismatch), which is how old drivers are told apart.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpusched::nvml {

using Device = void*;
using EventSet = void*;
using GpmSample = void*;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum Code : int {
  kSuccess = 0,
  kUninitialised = 1,
  kBadArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kTooSmall = 7,
  kDriverNotLoaded = 9,
  kTimeout = 10,
  kFunctionMissing = 13,
  kLost = 15,
  kResetRequired = 16,
  kLibraryMismatch = 18,
  kVersionMismatch = 25,
  kDeprecated = 26,
};

template <class Struct>
constexpr u32 version_of(u32 version) {
  return static_cast<u32>(sizeof(Struct)) | version << 24;
}

struct Memory1 {
  u64 total, free, used;  // Here used has reserved in it.
};
struct Memory2 {
  u32 version = version_of<Memory2>(2);
  u64 total, reserved, free, used;
};
struct PciInfo {
  char legacy_bus_id[16];
  u32 domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
struct Utilization {
  u32 gpu, memory;
};
struct ProcessInfo1 {
  u32 pid;
  u64 used;
};
struct ProcessInfo2 {
  u32 pid;
  u64 used;
  u32 gpu_instance, compute_instance;
};
struct ProcessDetail {
  u32 pid;
  u64 used;
  u32 gpu_instance, compute_instance;
  u64 used_protected;
};
struct ProcessDetailList {
  u32 version = version_of<ProcessDetailList>(1);
  u32 mode;  // 0 compute, 1 graphics, 2 MPS.
  u32 count;
  ProcessDetail* list;
};
struct ProcessUse {  // Of the older call.
  u32 pid;
  u64 time;
  u32 sm, memory, encoder, decoder;
};
struct ProcessUseInfo {
  u64 time;
  u32 pid, sm, memory, encoder, decoder, jpeg, flow;
};
struct ProcessesUse {
  u32 version = version_of<ProcessesUse>(1);
  u32 count;
  u64 last_seen;
  ProcessUseInfo* list;
};
struct AccountingStats {
  u32 gpu_percent, memory_percent;
  u64 most_memory, run_ms, started_us;
  u32 running;
  u32 reserved[5];
};
struct EventData {
  Device device;
  u64 type, data;
  u32 gpu_instance, compute_instance;
};
struct FieldValue {
  u32 field, scope;
  std::int64_t time, latency_us;
  u32 type;
  int code;
  union {
    double real;
    u32 whole32;
    u64 whole64;
    std::int64_t negative64;
    std::int32_t negative32;
  } value;
};
struct GpmSupport {
  u32 version = 1;
  u32 supported;
};
struct GpmMetric {
  u32 metric;
  int code;
  double value;
  const char* names[3];
};
struct GpmMetrics {
  u32 version = 1;
  u32 count;
  GpmSample first, second;
  // As many as the newest header has: an older library reads the `count` it was given.
  GpmMetric metrics[333];
};

static_assert(sizeof(Memory1) == 24 && sizeof(Memory2) == 40);
static_assert(offsetof(Memory2, total) == 8 && offsetof(Memory2, used) == 32);
static_assert(sizeof(PciInfo) == 68 && offsetof(PciInfo, bus_id) == 36);
static_assert(sizeof(Utilization) == 8);
static_assert(sizeof(ProcessInfo1) == 16 && sizeof(ProcessInfo2) == 24);
static_assert(sizeof(ProcessDetail) == 32 && sizeof(ProcessDetailList) == 24);
static_assert(sizeof(ProcessUse) == 32 && sizeof(ProcessUseInfo) == 40);
static_assert(sizeof(ProcessesUse) == 24 && offsetof(ProcessesUse, list) == 16);
static_assert(sizeof(AccountingStats) == 56 && offsetof(AccountingStats, running) == 32);
static_assert(sizeof(EventData) == 32 && offsetof(EventData, gpu_instance) == 24);
static_assert(sizeof(FieldValue) == 40 && offsetof(FieldValue, value) == 32);
static_assert(sizeof(GpmMetric) == 40 && sizeof(GpmMetrics) == 13'344);
static_assert(version_of<Memory2>(2) == 0x02000028);
static_assert(version_of<ProcessDetailList>(1) == 0x01000018);
static_assert(version_of<ProcessesUse>(1) == 0x01000018);

// Fields of nvmlDeviceGetFieldValues.
constexpr u32 kFieldMemoryTemperature = 82;
constexpr u32 kFieldRecoveryAction = 230;
// Metrics of GPM.
constexpr u32 kGpmSmActive = 2;
constexpr u32 kGpmDramActive = 10;
constexpr u32 kGpmPcieSent = 20;      // MiB/s.
constexpr u32 kGpmPcieReceived = 21;  // MiB/s.
// Bits of nvmlDeviceGetCurrentClocksEventReasons.
enum ClockReason : u64 {
  kReasonIdle = 0x1,
  kReasonApplication = 0x2,
  kReasonPowerCap = 0x4,
  kReasonHardware = 0x8,
  kReasonSyncBoost = 0x10,
  kReasonSoftThermal = 0x20,
  kReasonHardThermal = 0x40,
  kReasonPowerBrake = 0x80,
  kReasonDisplay = 0x100,
};
// Bits of events.
enum EventBit : u64 {
  kEventEccSingle = 0x1,
  kEventEccDouble = 0x2,
  kEventXid = 0x8,
  kEventClock = 0x10,
  kEventSbeStorm = 0x200,
  kEventRetirement = 0x400,
  kEventRetirementFailed = 0x800,
  kEventPoison = 0x1000,
  kEventPoisonFatal = 0x2000,
  kEventUnavailable = 0x4000,
  kEventRecovery = 0x8000,
};
// Power states and clocks change all the time; nobody waits for those.
constexpr u64 kEventsWanted = kEventEccSingle | kEventEccDouble | kEventXid | kEventSbeStorm |
                              kEventRetirement | kEventRetirementFailed | kEventPoison |
                              kEventPoisonFatal | kEventUnavailable | kEventRecovery;
// What a figure is where the driver cannot tell.
constexpr u64 kNoFigure = ~u64{0};

}  // namespace gpusched::nvml
