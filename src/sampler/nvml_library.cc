#include "sampler/nvml_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gpusched {
namespace {

// The library's binary interface. Versioned symbols only: the plain names are the oldest ABI.
using Device = void*;
constexpr int kSuccess = 0;
constexpr int kNoPermission = 4;
constexpr int kDriverNotLoaded = 9;

struct Memory1 {
  std::uint64_t total;
  std::uint64_t free;
  std::uint64_t used;
};
struct Memory2 {
  std::uint32_t version;
  std::uint64_t total;
  std::uint64_t reserved;
  std::uint64_t free;
  std::uint64_t used;
};
constexpr std::uint32_t kMemory2Version = sizeof(Memory2) | 2U << 24;
static_assert(sizeof(Memory1) == 24 && sizeof(Memory2) == 40);

struct PciInfo {
  char legacy_bus_id[16];
  std::uint32_t domain;
  std::uint32_t bus;
  std::uint32_t device;
  std::uint32_t device_id;
  std::uint32_t subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68);

template <class Function>
bool find(void* handle, const char* name, Function& function) {
  // A pointer to a function and one to an object are the same for POSIX, not for C++.
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  return function != nullptr;
}

template <std::size_t size>
std::string text_of(const std::array<char, size>& buffer) {
  return {buffer.data(), std::ranges::find(buffer, '\0')};
}

}  // namespace

struct NvmlLibrary::Calls {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle_by_index)(unsigned, Device*) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*memory1)(Device, Memory1*) = nullptr;
  int (*memory2)(Device, Memory2*) = nullptr;  // Null before driver 510.
  int (*pci)(Device, PciInfo*) = nullptr;

  // False if something that every supported driver has is missing.
  bool load(void* handle) {
    find(handle, "nvmlDeviceGetMemoryInfo_v2", memory2);
    return find(handle, "nvmlInit_v2", init) && find(handle, "nvmlShutdown", shutdown) &&
           find(handle, "nvmlErrorString", error_string) &&
           find(handle, "nvmlDeviceGetCount_v2", count) &&
           find(handle, "nvmlDeviceGetHandleByIndex_v2", handle_by_index) &&
           find(handle, "nvmlDeviceGetUUID", uuid) && find(handle, "nvmlDeviceGetName", name) &&
           find(handle, "nvmlDeviceGetMemoryInfo", memory1) &&
           find(handle, "nvmlDeviceGetPciInfo_v3", pci);
  }

  void read_memory(Device device, NvmlCard& card) const {
    Memory2 with_reserved{};
    with_reserved.version = kMemory2Version;
    if (memory2 != nullptr && memory2(device, &with_reserved) == kSuccess) {
      card.vram_bytes = with_reserved.total;
      card.reserved_bytes = with_reserved.reserved;
      return;
    }
    Memory1 plain{};
    if (memory1(device, &plain) == kSuccess) card.vram_bytes = plain.total;
  }
};

NvmlLibrary::NvmlLibrary(void* handle, std::unique_ptr<Calls> calls)
    : handle_(handle), calls_(std::move(calls)) {}

NvmlLibrary::~NvmlLibrary() {
  calls_->shutdown();
  ::dlclose(handle_);
}

std::unique_ptr<NvmlLibrary> NvmlLibrary::open(NvmlTrouble& trouble) {
  void* handle = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    trouble = {true, std::string("no NVIDIA driver library: ") + ::dlerror()};
    return nullptr;
  }
  auto calls = std::make_unique<Calls>();
  if (!calls->load(handle)) {
    trouble = {false, "libnvidia-ml.so.1 lacks functions that every supported driver has"};
    ::dlclose(handle);
    return nullptr;
  }
  if (const int code = calls->init(); code != kSuccess) {
    trouble = {code == kDriverNotLoaded,
               std::string("start the NVIDIA driver library: ") + calls->error_string(code)};
    ::dlclose(handle);
    return nullptr;
  }
  return std::unique_ptr<NvmlLibrary>(new NvmlLibrary(handle, std::move(calls)));
}

std::optional<NvmlCard> NvmlLibrary::card_at(unsigned index,
                                             std::vector<std::string>& complaints) const {
  Device device = nullptr;
  const auto complain = [&](const char* doing, int code) {
    complaints.push_back("card " + std::to_string(index) + ": " + doing + ": " +
                         calls_->error_string(code));
  };
  if (const int code = calls_->handle_by_index(index, &device); code != kSuccess) {
    // A card that a container may not use is counted all the same; nobody's fault.
    if (code == kNoPermission) return std::nullopt;
    complain("open", code);
    return NvmlCard{};
  }
  NvmlCard card;
  PciInfo pci{};
  if (calls_->pci(device, &pci) == kSuccess) card.pci = text_of(std::to_array(pci.bus_id));
  std::array<char, 96> buffer{};
  if (const int code = calls_->uuid(device, buffer.data(), buffer.size()); code != kSuccess) {
    complain("read its UUID", code);
    return card;
  }
  card.uuid = text_of(buffer);
  buffer.fill('\0');
  if (calls_->name(device, buffer.data(), buffer.size()) == kSuccess) card.model = text_of(buffer);
  calls_->read_memory(device, card);
  if (!card.vram_bytes) complaints.push_back("card " + card.uuid + ": its memory is unknown");
  return card;
}

std::vector<NvmlCard> NvmlLibrary::cards(std::vector<std::string>& complaints) const {
  unsigned count = 0;
  if (const int code = calls_->count(&count); code != kSuccess) {
    complaints.push_back(std::string("count the cards: ") + calls_->error_string(code));
    return {};
  }
  std::vector<NvmlCard> found;
  for (unsigned index = 0; index < count; ++index) {
    if (auto card = card_at(index, complaints)) found.push_back(std::move(*card));
  }
  // The driver's own order is that of PCI but for rare machines; it stands where one is unknown.
  const bool all_known = std::ranges::none_of(found, &std::string::empty, &NvmlCard::pci);
  if (all_known) std::ranges::stable_sort(found, {}, &NvmlCard::pci);
  return found;
}

}  // namespace gpusched
