// The binary interface of NVIDIA's management library, as far as the simulated one offers it.
// Written down from its documented layout; the sizes are checked here at compile time.
#pragma once

#include <cstdint>

namespace gpusched::simdriver::nvml {

using Device = void*;
using EventSet = void*;
using GpmSample = void*;

enum Code : int {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kInsufficientSize = 7,
  kDriverNotLoaded = 9,
  kTimeout = 10,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kVersionMismatch = 18,  // Of library and driver.
  kInUse = 19,
  kNoData = 21,
  kArgumentVersionMismatch = 25,
  kUnknown = 999,
};

constexpr std::uint32_t versioned(std::uint32_t size, std::uint32_t version) {
  return size | version << 24;
}

struct Memory1 {
  std::uint64_t total, free, used;
};
struct Memory2 {
  std::uint32_t version;
  std::uint64_t total, reserved, free, used;
};
struct Utilization {
  std::uint32_t gpu, memory;
};
struct ProcessInfo1 {
  std::uint32_t pid;
  std::uint64_t used_bytes;
};
struct ProcessInfo2 {
  std::uint32_t pid;
  std::uint64_t used_bytes;
  std::uint32_t gpu_instance, compute_instance;
};
// Drivers 535.43 to 535.86 answered the _v3 calls with this one.
struct ProcessInfoLong {
  std::uint32_t pid;
  std::uint64_t used_bytes;
  std::uint32_t gpu_instance, compute_instance;
  std::uint64_t protected_bytes;
};
using ProcessDetail = ProcessInfoLong;
struct ProcessDetailList {
  std::uint32_t version, mode, count;
  ProcessDetail* entries;
};
struct ProcessUtilizationSample {
  std::uint32_t pid;
  std::uint64_t time_us;
  std::uint32_t sm, memory, encoder, decoder;
};
struct ProcessUtilizationInfo {
  std::uint64_t time_us;
  std::uint32_t pid, sm, memory, encoder, decoder, jpeg, optical_flow;
};
struct ProcessesUtilizationInfo {
  std::uint32_t version, count;
  std::uint64_t last_seen_us;
  ProcessUtilizationInfo* entries;
};
struct AccountingStats {
  std::uint32_t gpu, memory;
  std::uint64_t peak_bytes, time_ms, started_us;
  std::uint32_t running, unused[5];
};
struct EventData {
  Device device;
  std::uint64_t type, value;
  std::uint32_t gpu_instance, compute_instance;
};
struct PciInfo {
  char legacy_bus_id[16];
  std::uint32_t domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
struct Temperature1 {
  std::uint32_t version, sensor;
  std::int32_t value;
};
struct MarginTemperature1 {
  std::uint32_t version;
  std::int32_t value;
};
union Value {
  double number;
  std::uint32_t u32;
  std::uint64_t u64;
  std::int64_t i64;
};
struct FieldValue {
  std::uint32_t field, scope;
  std::int64_t time_us, latency_us;
  std::uint32_t type;
  std::int32_t code;
  Value value;
};
struct Sample {
  std::uint64_t time_us;
  Value value;
};
struct Bar1Memory {
  std::uint64_t total, free, used;
};
struct ViolationTime {
  std::uint64_t reference_us, violation_ns;
};
struct GpmMetric {
  std::uint32_t metric;
  std::int32_t code;
  double value;
  const char* names[3];
};
// More entries follow than are declared: their number depends on the caller's header.
struct GpmMetricsGet {
  std::uint32_t version, count;
  GpmSample first, second;
  GpmMetric metrics[1];
};
struct GpmSupport {
  std::uint32_t version, supported;
};

static_assert(sizeof(Memory1) == 24 && sizeof(Memory2) == 40 && sizeof(Utilization) == 8);
static_assert(sizeof(ProcessInfo1) == 16 && sizeof(ProcessInfo2) == 24);
static_assert(sizeof(ProcessInfoLong) == 32 && sizeof(ProcessDetailList) == 24);
static_assert(sizeof(ProcessUtilizationSample) == 32 && sizeof(ProcessUtilizationInfo) == 40);
static_assert(sizeof(ProcessesUtilizationInfo) == 24 && sizeof(AccountingStats) == 56);
static_assert(sizeof(EventData) == 32 && sizeof(PciInfo) == 68 && sizeof(Temperature1) == 12);
static_assert(sizeof(FieldValue) == 40 && sizeof(Sample) == 16 && sizeof(Bar1Memory) == 24);
static_assert(sizeof(GpmMetric) == 40 && sizeof(MarginTemperature1) == 8);

}  // namespace gpusched::simdriver::nvml
