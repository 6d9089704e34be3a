// The binary interface of the CUDA driver library, as far as the simulated one offers it. Written
// down from its documented layout; sizes are checked at compile time.
#pragma once

#include <cstdint>

namespace gpusched::simdriver::cuda {

using Ordinal = int;  // CUdevice: a number among the visible cards.
using ContextHandle = void*;
using Address = std::uint64_t;  // CUdeviceptr.

enum Code : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeviceUnavailable = 46,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kEccUncorrectable = 214,
  kOperatingSystem = 304,
  kIllegalState = 401,
  kNotFound = 500,
  kNotReady = 600,
  kNotSupported = 801,
  kSystemDriverMismatch = 803,
  kMpsConnectionFailed = 805,
  kMpsRpcFailure = 806,
  kUnknown = 999,
};

struct Uuid {
  unsigned char bytes[16];
};
struct LockArguments {
  std::uint32_t timeout_ms, zero;
  std::uint64_t zeros[7];
};
struct CheckpointArguments {
  std::uint64_t zeros[8];
};
struct GpuPair {
  Uuid from, to;
};
struct RestoreArguments {
  const GpuPair* pairs;
  std::uint32_t pair_count;
  char zeros[44];
  std::uint64_t zero;
};
struct UnlockArguments {
  std::uint64_t zeros[8];
};
static_assert(sizeof(LockArguments) == 64 && sizeof(CheckpointArguments) == 64);
static_assert(sizeof(RestoreArguments) == 64 && sizeof(UnlockArguments) == 64);
static_assert(sizeof(GpuPair) == 32);

}  // namespace gpusched::simdriver::cuda
