// A look-alike of libnvidia-ml.so.1 for tests, steered by FAKE_NVML, one word per card, apart by
// commas: "good", "old" (no reserved memory), "forbidden", "lost", "mute" (no memory figures). The
// cards come in reverse PCI order. FAKE_NVML_INIT is what nvmlInit_v2 returns.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

std::vector<std::string> cards() {
  std::vector<std::string> found;
  const char* text = std::getenv("FAKE_NVML");
  std::string rest = text != nullptr ? text : "";
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    found.push_back(rest.substr(0, comma));
    rest.erase(0, comma + 1);
  }
  return found;
}

// A device is its index plus one, so that none is null.
std::size_t index_of(void* device) { return reinterpret_cast<std::uintptr_t>(device) - 1; }
std::string kind_of(void* device) { return cards().at(index_of(device)); }

}  // namespace

extern "C" {

int nvmlInit_v2() {
  const char* code = std::getenv("FAKE_NVML_INIT");
  return code != nullptr ? std::atoi(code) : 0;
}
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int code) {
  switch (code) {
    case 9:
      return "Driver Not Loaded";
    case 15:
      return "GPU is lost";
    case 18:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(cards().size());
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (cards().at(index) == "forbidden") return 4;
  *device = reinterpret_cast<void*>(static_cast<std::uintptr_t>(index) + 1);
  return 0;
}
int nvmlDeviceGetUUID(void* device, char* to, unsigned size) {
  if (kind_of(device) == "lost") return 15;
  std::snprintf(to, size, "GPU-%zu", index_of(device));
  return 0;
}
int nvmlDeviceGetName(void*, char* to, unsigned size) {
  std::snprintf(to, size, "NVIDIA Test 24G");
  return 0;
}
int nvmlDeviceGetMemoryInfo(void* device, std::uint64_t* to) {
  if (kind_of(device) == "mute") return 3;
  to[0] = 24'000'000'000;
  return 0;
}
int nvmlDeviceGetMemoryInfo_v2(void* device, std::uint64_t* to) {
  if (kind_of(device) != "good") return 3;
  if (static_cast<std::uint32_t>(to[0]) != 0x02000028) return 25;
  to[1] = 24'000'000'000;
  to[2] = 500'000'000;
  return 0;
}
int nvmlDeviceGetPciInfo_v3(void* device, char* to) {
  std::memset(to, 0, 68);
  std::snprintf(to + 36, 32, "00000000:%02zX:00.0", 0x80 - index_of(device));
  return 0;
}
}
