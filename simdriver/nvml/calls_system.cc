// Start and end, versions, and the list of cards.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "simdriver/nvml/process_name.h"
#include "simdriver/nvml/session.h"

namespace nvml = gpusched::simdriver::nvml;
using namespace gpusched::simdriver;
using nvml::Device;

namespace {

int count_cards(const char* function, unsigned* count) {
  return nvml::on_driver(function, [&](const nvml::Session& session) -> int {
    if (count == nullptr) return nvml::kInvalidArgument;
    *count = static_cast<unsigned>(session.listed.size());
    return nvml::kSuccess;
  });
}

// The last step of every way to a handle.
int give_handle(const char* function, const World& world, std::size_t card, Device* device) {
  const int forced = forced_answer(world, function, static_cast<std::int32_t>(card));
  if (forced != 0) return forced;
  if (world.data().states[card].lost.load() != 0) return nvml::kGpuIsLost;
  *device = nvml::handle_of(card);
  return nvml::kSuccess;
}

int handle_by_index(const char* function, unsigned index, Device* device) {
  return nvml::on_driver(function, [&](const nvml::Session& session) -> int {
    if (device == nullptr || index >= session.listed.size()) return nvml::kInvalidArgument;
    return give_handle(function, session.world, session.listed[index], device);
  });
}

int handle_by_bus(const char* function, const char* bus_id, Device* device) {
  return nvml::on_driver(function, [&](const nvml::Session& session) -> int {
    if (bus_id == nullptr || device == nullptr) return nvml::kInvalidArgument;
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned slot = 0;
    if (std::sscanf(bus_id, "%x:%x:%x", &domain, &bus, &slot) != 3) {
      return nvml::kInvalidArgument;
    }
    for (const std::size_t card : session.listed) {
      if (domain != 0 || slot != 0 || session.world.data().facts[card].pci_bus != bus) continue;
      return give_handle(function, session.world, card, device);
    }
    return nvml::kNotFound;
  });
}

int cuda_version(const char* function, int* version) {
  return nvml::on_driver(function, [&](const nvml::Session& session) -> int {
    if (version == nullptr) return nvml::kInvalidArgument;
    *version = static_cast<int>(session.world.data().cuda_version.load());
    return nvml::kSuccess;
  });
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return nvml::start_session(); }
int nvmlInit() { return nvml::start_session(); }
int nvmlInitWithFlags(unsigned) { return nvml::start_session(); }
int nvmlShutdown() { return nvml::end_session(); }

int nvmlSystemGetDriverVersion(char* version, unsigned size) {
  return nvml::on_driver(__func__, [&](const nvml::Session& session) {
    return nvml::copy_text(session.world.data().driver_version, version, size);
  });
}

int nvmlSystemGetNVMLVersion(char* version, unsigned size) {
  return nvml::on_driver(__func__, [&](const nvml::Session& session) {
    const unsigned cuda = session.world.data().cuda_version.load();
    return nvml::copy_text(std::to_string(cuda / 1000) + "." + session.world.data().driver_version,
                           version, size);
  });
}

int nvmlSystemGetCudaDriverVersion(int* version) { return cuda_version(__func__, version); }
int nvmlSystemGetCudaDriverVersion_v2(int* version) { return cuda_version(__func__, version); }

int nvmlSystemGetProcessName(unsigned pid, char* name, unsigned size) {
  return nvml::on_driver(__func__, [&](const nvml::Session& session) -> int {
    if (name == nullptr || size == 0) return nvml::kInvalidArgument;
    const std::string found = nvml::name_of_process(session.world, static_cast<int>(pid));
    if (found.empty()) return nvml::kNotFound;
    return nvml::copy_text(found.substr(0, size - 1), name, size);
  });
}

int nvmlDeviceGetCount(unsigned* count) { return count_cards(__func__, count); }
int nvmlDeviceGetCount_v2(unsigned* count) { return count_cards(__func__, count); }

int nvmlDeviceGetHandleByIndex(unsigned index, Device* device) {
  return handle_by_index(__func__, index, device);
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  return handle_by_index(__func__, index, device);
}

int nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  return nvml::on_driver(__func__, [&](const nvml::Session& session) -> int {
    if (uuid == nullptr || device == nullptr) return nvml::kInvalidArgument;
    for (const std::size_t card : session.listed) {
      if (std::string_view(session.world.data().facts[card].uuid) != uuid) continue;
      return give_handle("nvmlDeviceGetHandleByUUID", session.world, card, device);
    }
    return nvml::kNotFound;
  });
}

int nvmlDeviceGetHandleByPciBusId(const char* bus_id, Device* device) {
  return handle_by_bus(__func__, bus_id, device);
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, Device* device) {
  return handle_by_bus(__func__, bus_id, device);
}

int nvmlUnitGetCount(unsigned* count) {
  return nvml::on_driver(__func__, [&](const nvml::Session&) -> int {
    if (count == nullptr) return nvml::kInvalidArgument;
    *count = 0;
    return nvml::kSuccess;
  });
}

const char* nvmlErrorString(int code) {
  switch (code) {
    case nvml::kSuccess:
      return "Success";
    case nvml::kUninitialized:
      return "Uninitialized";
    case nvml::kInvalidArgument:
      return "Invalid Argument";
    case nvml::kNotSupported:
      return "Not Supported";
    case nvml::kNoPermission:
      return "Insufficient Permissions";
    case nvml::kNotFound:
      return "Not Found";
    case nvml::kInsufficientSize:
      return "Insufficient Size";
    case nvml::kDriverNotLoaded:
      return "Driver Not Loaded";
    case nvml::kTimeout:
      return "Timeout";
    case nvml::kFunctionNotFound:
      return "Function Not Found";
    case nvml::kGpuIsLost:
      return "GPU is lost";
    case nvml::kVersionMismatch:
      return "Driver/library version mismatch";
    case nvml::kInUse:
      return "In use by another client";
    case nvml::kNoData:
      return "No data";
    case nvml::kArgumentVersionMismatch:
      return "Argument version mismatch";
    default:
      return "Unknown Error";
  }
}

}  // extern "C"
