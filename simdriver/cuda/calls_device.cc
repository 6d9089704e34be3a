// Versions and cards. None of these touch the card's state, so none waits at the gate.
#include <algorithm>
#include <cstring>

#include "simdriver/card_use.h"
#include "simdriver/cuda/process.h"

namespace cuda = gpusched::simdriver::cuda;
using namespace gpusched::simdriver;
using cuda::Ordinal;

namespace {

template <class Body>
int on_device(const char* function, Ordinal ordinal, const void* out, Body body) {
  const auto process = cuda::current_process();
  if (process == nullptr) return cuda::kNotInitialized;
  if (const int code = meet_faults(process->world(), function, kNoCard); code != 0) return code;
  if (out == nullptr) return cuda::kInvalidValue;
  if (!process->is_device(ordinal)) return cuda::kInvalidDevice;
  return body(*process, process->card_of(ordinal));
}

int attribute_of(const World& world, std::size_t card, int attribute) {
  const CardFacts& facts = world.data().facts[card];
  switch (attribute) {
    case 1:  // Threads per block.
      return 1024;
    case 10:  // Threads per warp.
      return 32;
    case 13:  // Clock, kHz.
      return static_cast<int>(facts.core_clock_mhz * 1000);
    case 16:
      return static_cast<int>(facts.multiprocessors);
    case 20:
      return static_cast<int>(world.data().states[card].compute_mode.load());
    case 32:  // ECC.
      return (facts.features & kHasEcc) != 0 ? 1 : 0;
    case 33:
      return static_cast<int>(facts.pci_bus);
    case 36:  // Memory clock, kHz.
      return static_cast<int>(facts.memory_clock_mhz * 1000);
    case 39:  // Threads per multiprocessor.
      return 2048;
    case 41:  // Unified addressing.
      return 1;
    case 75:
      return static_cast<int>(facts.capability_major);
    case 76:
      return static_cast<int>(facts.capability_minor);
    default:
      return 0;
  }
}

int copy_uuid(const char* function, cuda::Uuid* uuid, Ordinal ordinal) {
  return on_device(function, ordinal, uuid, [uuid](const cuda::Process& process, std::size_t card) {
    std::memcpy(uuid->bytes, process.world().data().facts[card].uuid_bytes, sizeof uuid->bytes);
    return cuda::kSuccess;
  });
}

}  // namespace

extern "C" {

// Answers before cuInit, as the real one does; 0 where there is no world.
int cuDriverGetVersion(int* version) {
  if (version == nullptr) return cuda::kInvalidValue;
  if (const auto process = cuda::current_process()) {
    *version = static_cast<int>(process->world().data().cuda_version.load());
    return cuda::kSuccess;
  }
  const auto world = World::open_from_environment();
  *version = world ? static_cast<int>(world->data().cuda_version.load()) : 0;
  return cuda::kSuccess;
}

int cuDeviceGetCount(int* count) {
  const auto process = cuda::current_process();
  if (process == nullptr) return cuda::kNotInitialized;
  if (count == nullptr) return cuda::kInvalidValue;
  *count = static_cast<int>(process->device_count());
  return cuda::kSuccess;
}

int cuDeviceGet(Ordinal* device, int ordinal) {
  return on_device(__func__, ordinal, device, [&](const cuda::Process&, std::size_t) {
    *device = ordinal;
    return cuda::kSuccess;
  });
}

int cuDeviceGetName(char* name, int size, Ordinal device) {
  return on_device(__func__, device, name, [&](const cuda::Process& process, std::size_t card) {
    if (size <= 0) return cuda::kInvalidValue;
    const char* model = process.world().data().facts[card].model;
    const std::size_t length = std::min(std::strlen(model), static_cast<std::size_t>(size) - 1);
    std::memcpy(name, model, length);
    name[length] = '\0';
    return cuda::kSuccess;
  });
}

int cuDeviceGetUuid(cuda::Uuid* uuid, Ordinal device) { return copy_uuid(__func__, uuid, device); }
int cuDeviceGetUuid_v2(cuda::Uuid* uuid, Ordinal device) {
  return copy_uuid(__func__, uuid, device);
}

int cuDeviceTotalMem_v2(std::size_t* bytes, Ordinal device) {
  return on_device(__func__, device, bytes, [&](const cuda::Process& process, std::size_t card) {
    *bytes = capacity_of(process.world(), card);
    return cuda::kSuccess;
  });
}
int cuDeviceTotalMem(std::size_t* bytes, Ordinal device) {
  return cuDeviceTotalMem_v2(bytes, device);
}

int cuDeviceGetAttribute(int* value, int attribute, Ordinal device) {
  return on_device(__func__, device, value, [&](const cuda::Process& process, std::size_t card) {
    if (attribute < 1) return cuda::kInvalidValue;
    *value = attribute_of(process.world(), card, attribute);
    return cuda::kSuccess;
  });
}

int cuDeviceComputeCapability(int* major, int* minor, Ordinal device) {
  return on_device(__func__, device, major, [&](const cuda::Process& process, std::size_t card) {
    if (minor == nullptr) return cuda::kInvalidValue;
    *major = attribute_of(process.world(), card, 75);
    *minor = attribute_of(process.world(), card, 76);
    return cuda::kSuccess;
  });
}

int cuDeviceGetPCIBusId(char* text, int size, Ordinal device) {
  return on_device(__func__, device, text, [&](const cuda::Process& process, std::size_t card) {
    if (size < 13) return cuda::kInvalidValue;
    std::snprintf(text, static_cast<std::size_t>(size), "0000:%02x:00.0",
                  process.world().data().facts[card].pci_bus);
    return cuda::kSuccess;
  });
}

}  // extern "C"
