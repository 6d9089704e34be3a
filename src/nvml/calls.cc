#include "nvml/calls.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <initializer_list>

namespace gpusched::nvml {
namespace {

// The first of these names that the library has: newest form first. Versioned names where there
// are any: the plain ones are the oldest form.
template <class Function>
bool find(void* handle, std::initializer_list<const char*> names, Function& function) {
  for (const char* name : names) {
    // A pointer to a function and one to an object are the same for POSIX, not for C++.
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    if (function != nullptr) return true;
  }
  return false;
}

}  // namespace

bool Calls::load(void* handle) {
  const auto maybe = [handle](std::initializer_list<const char*> names, auto& function) {
    find(handle, names, function);
  };
  maybe({"nvmlSystemGetDriverVersion"}, driver_version);
  maybe({"nvmlDeviceGetMinorNumber"}, minor);
  maybe({"nvmlDeviceGetMemoryInfo_v2"}, memory2);
  maybe({"nvmlDeviceGetUtilizationRates"}, utilization);
  const char* const kinds[] = {"Compute", "Graphics", "MPSCompute"};
  const char* const forms[] = {"_v3", "_v2", ""};
  for (std::size_t form = 0; form < std::size(forms); ++form) {
    for (std::size_t kind = 0; kind < std::size(kinds); ++kind) {
      const std::string symbol =
          fmt::format("nvmlDeviceGet{}RunningProcesses{}", kinds[kind], forms[form]);
      maybe({symbol.c_str()}, list[form][kind]);
    }
  }
  maybe({"nvmlDeviceGetRunningProcessDetailList"}, detail_list);
  maybe({"nvmlDeviceGetProcessUtilization"}, process_use);
  maybe({"nvmlDeviceGetProcessesUtilizationInfo"}, processes_use);
  maybe({"nvmlDeviceGetPowerUsage"}, power);
  maybe({"nvmlDeviceGetEnforcedPowerLimit"}, power_limit);
  maybe({"nvmlDeviceGetTotalEnergyConsumption"}, energy);
  maybe({"nvmlDeviceGetTemperature"}, temperature);
  maybe({"nvmlDeviceGetTemperatureThreshold"}, temperature_threshold);
  maybe({"nvmlDeviceGetFanSpeed"}, fan);
  maybe({"nvmlDeviceGetClockInfo"}, clock);
  maybe({"nvmlDeviceGetCurrentClocksEventReasons"}, clock_reasons);
  maybe({"nvmlDeviceGetCurrentClocksThrottleReasons"}, older_clock_reasons);
  maybe({"nvmlDeviceGetFieldValues"}, fields);
  maybe({"nvmlDeviceGetTotalEccErrors"}, ecc);
  maybe({"nvmlDeviceGetRemappedRows"}, remapped_rows);
  maybe({"nvmlDeviceGetCurrPcieLinkGeneration"}, pcie_generation);
  maybe({"nvmlDeviceGetCurrPcieLinkWidth"}, pcie_width);
  maybe({"nvmlDeviceGetPcieThroughput"}, pcie_throughput);
  maybe({"nvmlDeviceGetNvLinkState"}, nvlink_state);
  maybe({"nvmlDeviceGetNvLinkRemotePciInfo_v2"}, nvlink_remote);
  maybe({"nvmlDeviceGetMigMode"}, mig_mode);
  maybe({"nvmlDeviceGetComputeMode"}, compute_mode);
  maybe({"nvmlDeviceGetPersistenceMode"}, persistence);
  maybe({"nvmlDeviceGetAccountingMode"}, accounting_mode);
  maybe({"nvmlDeviceGetAccountingPids"}, accounting_pids);
  maybe({"nvmlDeviceGetAccountingStats"}, accounting_stats);
  maybe({"nvmlGpmQueryDeviceSupport"}, gpm_support);
  maybe({"nvmlGpmSampleAlloc"}, gpm_alloc);
  maybe({"nvmlGpmSampleFree"}, gpm_free);
  maybe({"nvmlGpmSampleGet"}, gpm_get);
  maybe({"nvmlGpmMetricsGet"}, gpm_metrics);
  maybe({"nvmlEventSetCreate"}, event_set);
  maybe({"nvmlEventSetFree"}, event_set_free);
  maybe({"nvmlDeviceGetSupportedEventTypes"}, supported_events);
  maybe({"nvmlDeviceRegisterEvents"}, register_events);
  maybe({"nvmlEventSetWait_v2", "nvmlEventSetWait"}, event_wait);
  return find(handle, {"nvmlInit_v2"}, init) && find(handle, {"nvmlShutdown"}, shutdown) &&
         find(handle, {"nvmlErrorString"}, error_string) &&
         find(handle, {"nvmlDeviceGetCount_v2"}, count) &&
         find(handle, {"nvmlDeviceGetHandleByIndex_v2"}, handle_by_index) &&
         find(handle, {"nvmlDeviceGetUUID"}, uuid) && find(handle, {"nvmlDeviceGetName"}, name) &&
         find(handle, {"nvmlDeviceGetMemoryInfo"}, memory1) &&
         find(handle, {"nvmlDeviceGetPciInfo_v3"}, pci);
}

Result<std::shared_ptr<Library>> Library::open() {
  void* handle = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return failure(ErrorCode::kNotFound, fmt::format("no NVIDIA driver library: {}", ::dlerror()));
  }
  Calls calls;
  if (!calls.load(handle)) {
    ::dlclose(handle);
    return failure(ErrorCode::kUnavailable,
                   "libnvidia-ml.so.1 lacks functions that every supported driver has");
  }
  if (const int code = calls.init(); code != kSuccess) {
    const std::string words = calls.error_string(code);
    ::dlclose(handle);
    if (code == kDriverNotLoaded) {
      return failure(ErrorCode::kNotFound, "start the NVIDIA driver library: " + words);
    }
    return failure(ErrorCode::kUnavailable,
                   fmt::format("start the NVIDIA driver library: {}{}", words,
                               code == kLibraryMismatch
                                   ? "; the driver was updated: restart the machine or reload it"
                                   : ""));
  }
  return std::shared_ptr<Library>(new Library(handle, calls));
}

Library::~Library() {
  calls_.shutdown();
  ::dlclose(handle_);
}

Error Library::error_of(const std::string& doing, int code) const {
  const char* words = calls_.error_string(code);
  const std::string sentence = fmt::format("{}: {}", doing, words != nullptr ? words : "?");
  switch (code) {
    case kLost:
      return {ErrorCode::kNotFound,
              sentence + "; it fell off the bus and comes back when the machine is restarted"};
    case kResetRequired:
      return {ErrorCode::kUnavailable, sentence + "; reset it with nvidia-smi --gpu-reset"};
    case kLibraryMismatch:
    case kUninitialised:
    case kDriverNotLoaded:
      return {ErrorCode::kConflict, sentence + "; the driver was updated or restarted"};
    case kNotSupported:
    case kFunctionMissing:
    case kNoPermission:
      return {ErrorCode::kUnsupported, sentence};
    default:
      return {ErrorCode::kUnavailable, sentence};
  }
}

bool is_trouble(int code) {
  return code == kLost || code == kResetRequired || code == kLibraryMismatch ||
         code == kUninitialised || code == kDriverNotLoaded;
}

bool is_missing(int code) {
  return code == kNotSupported || code == kFunctionMissing || code == kNoPermission ||
         code == kVersionMismatch || code == kDeprecated || code == kBadArgument;
}

}  // namespace gpusched::nvml
