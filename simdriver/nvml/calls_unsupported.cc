// Functions that clients ask for and that have no meaning in a simulated world. They are here so
// that clients get the answer that a card without the feature gives, not a missing symbol.
#include "simdriver/nvml/session.h"

namespace nvml = gpusched::simdriver::nvml;
using nvml::Device;

namespace {

int unsupported(const char* function, Device device) {
  return nvml::on_card(function, device, [](const nvml::CardCall&) { return nvml::kNotSupported; });
}

}  // namespace

extern "C" {

// Windows only.
int nvmlDeviceGetDriverModel(Device device, unsigned*, unsigned*) {
  return unsupported(__func__, device);
}
int nvmlDeviceGetDriverModel_v2(Device device, unsigned*, unsigned*) {
  return unsupported(__func__, device);
}
int nvmlDeviceGetInforomImageVersion(Device device, char*, unsigned) {
  return unsupported(__func__, device);
}
int nvmlDeviceGetNvLinkCapability(Device device, unsigned, unsigned, unsigned*) {
  return unsupported(__func__, device);
}
int nvmlDeviceGetNvLinkErrorCounter(Device device, unsigned, unsigned, unsigned long long*) {
  return unsupported(__func__, device);
}
int nvmlDeviceGetRetiredPages(Device device, unsigned, unsigned*, unsigned long long*) {
  return unsupported(__func__, device);
}
int nvmlDeviceGetRetiredPagesPendingStatus(Device device, unsigned*) {
  return unsupported(__func__, device);
}
int nvmlDeviceGetVirtualizationMode(Device device, unsigned*) {
  return unsupported(__func__, device);
}
int nvmlDeviceGetEncoderStats(Device device, unsigned*, unsigned*, unsigned*) {
  return unsupported(__func__, device);
}
int nvmlDeviceGetGspFirmwareVersion(Device device, char*) { return unsupported(__func__, device); }
int nvmlDeviceGetAutoBoostedClocksEnabled(Device device, unsigned*, unsigned*) {
  return unsupported(__func__, device);
}
int nvmlDeviceGetNumaNodeId(Device device, unsigned*) { return unsupported(__func__, device); }
int nvmlDeviceResetGpuLockedClocks(Device device) { return unsupported(__func__, device); }

}  // extern "C"
