// Functions by name. Versions: the plain name gives the newest one of the same arguments.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "simdriver/cuda/process.h"

namespace cuda = gpusched::simdriver::cuda;
using namespace gpusched::simdriver;

// Only their addresses are needed here; their arguments are where they are defined.
extern "C" {
void cuCheckpointProcessCheckpoint();
void cuCheckpointProcessGetRestoreThreadId();
void cuCheckpointProcessGetState();
void cuCheckpointProcessLock();
void cuCheckpointProcessRestore();
void cuCheckpointProcessUnlock();
void cuCtxCreate_v2();
void cuCtxDestroy_v2();
void cuCtxGetCurrent();
void cuCtxGetDevice();
void cuCtxPopCurrent_v2();
void cuCtxPushCurrent_v2();
void cuCtxSetCurrent();
void cuCtxSynchronize();
void cuDeviceComputeCapability();
void cuDeviceGet();
void cuDeviceGetAttribute();
void cuDeviceGetCount();
void cuDeviceGetName();
void cuDeviceGetPCIBusId();
void cuDeviceGetUuid_v2();
void cuDevicePrimaryCtxGetState();
void cuDevicePrimaryCtxRelease_v2();
void cuDevicePrimaryCtxRetain();
void cuDeviceTotalMem_v2();
void cuDriverGetVersion();
void cuGetErrorName();
void cuGetErrorString();
void cuInit();
void cuMemAlloc_v2();
void cuMemAllocManaged();
void cuMemFree_v2();
void cuMemFreeHost();
void cuMemGetInfo_v2();
void cuMemHostAlloc();
int cuGetProcAddress_v2(const char*, void**, int, std::uint64_t, int*);
}

namespace {

struct Entry {
  std::string_view name;
  void (*function)();
  std::uint32_t since_driver = 0;
};

// Old drivers do not know the checkpoint calls: whoever asks by name is told so. (The symbols are
// in this file all the same and answer "not supported".)
const std::array kEntries = {
    Entry{"cuCheckpointProcessCheckpoint", cuCheckpointProcessCheckpoint, 570},
    Entry{"cuCheckpointProcessGetRestoreThreadId", cuCheckpointProcessGetRestoreThreadId, 570},
    Entry{"cuCheckpointProcessGetState", cuCheckpointProcessGetState, 570},
    Entry{"cuCheckpointProcessLock", cuCheckpointProcessLock, 570},
    Entry{"cuCheckpointProcessRestore", cuCheckpointProcessRestore, 570},
    Entry{"cuCheckpointProcessUnlock", cuCheckpointProcessUnlock, 570},
    Entry{"cuCtxCreate", cuCtxCreate_v2},
    Entry{"cuCtxDestroy", cuCtxDestroy_v2},
    Entry{"cuCtxGetCurrent", cuCtxGetCurrent},
    Entry{"cuCtxGetDevice", cuCtxGetDevice},
    Entry{"cuCtxPopCurrent", cuCtxPopCurrent_v2},
    Entry{"cuCtxPushCurrent", cuCtxPushCurrent_v2},
    Entry{"cuCtxSetCurrent", cuCtxSetCurrent},
    Entry{"cuCtxSynchronize", cuCtxSynchronize},
    Entry{"cuDeviceComputeCapability", cuDeviceComputeCapability},
    Entry{"cuDeviceGet", cuDeviceGet},
    Entry{"cuDeviceGetAttribute", cuDeviceGetAttribute},
    Entry{"cuDeviceGetCount", cuDeviceGetCount},
    Entry{"cuDeviceGetName", cuDeviceGetName},
    Entry{"cuDeviceGetPCIBusId", cuDeviceGetPCIBusId},
    Entry{"cuDeviceGetUuid", cuDeviceGetUuid_v2},
    Entry{"cuDevicePrimaryCtxGetState", cuDevicePrimaryCtxGetState},
    Entry{"cuDevicePrimaryCtxRelease", cuDevicePrimaryCtxRelease_v2},
    Entry{"cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain},
    Entry{"cuDeviceTotalMem", cuDeviceTotalMem_v2},
    Entry{"cuDriverGetVersion", cuDriverGetVersion},
    Entry{"cuGetErrorName", cuGetErrorName},
    Entry{"cuGetErrorString", cuGetErrorString},
    Entry{"cuInit", cuInit},
    Entry{"cuMemAlloc", cuMemAlloc_v2},
    Entry{"cuMemAllocManaged", cuMemAllocManaged},
    Entry{"cuMemFree", cuMemFree_v2},
    Entry{"cuMemFreeHost", cuMemFreeHost},
    Entry{"cuMemGetInfo", cuMemGetInfo_v2},
    Entry{"cuMemHostAlloc", cuMemHostAlloc},
    Entry{"cuGetProcAddress", reinterpret_cast<void (*)()>(cuGetProcAddress_v2)},
};

enum Status : int { kFound = 0, kSymbolNotFound = 1, kVersionNotSufficient = 2 };

bool has(const World& world, const Entry& entry) {
  const std::string name(entry.name);
  return world.data().driver_major.load() >= entry.since_driver && !is_missing(world, name.c_str());
}

void* find(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name != name) continue;
    // May be asked before cuInit too.
    const auto process = cuda::current_process();
    const auto world = World::open_from_environment();
    const bool found =
        process != nullptr ? has(process->world(), entry) : !world || has(*world, entry);
    return found ? reinterpret_cast<void*>(entry.function) : nullptr;
  }
  return nullptr;
}

}  // namespace

extern "C" {

int cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t, int* status) {
  if (name == nullptr || function == nullptr) return cuda::kInvalidValue;
  *function = find(name);
  if (status != nullptr) {
    *status = *function != nullptr ? kFound : kSymbolNotFound;
    return cuda::kSuccess;
  }
  return *function != nullptr ? cuda::kSuccess : cuda::kNotFound;
}

int cuGetProcAddress(const char* name, void** function, int version, std::uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

}  // extern "C"
