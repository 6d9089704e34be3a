#include "sampler/power_state.h"

#include "base/pci.h"
#include "os/small_file.h"

namespace gpusched {

bool is_asleep(const std::string& sysfs, const std::string& pci) {
  const std::string address = kernel_pci(pci);
  if (address.empty() || address.find('/') != std::string::npos) return false;
  return read_small_file(sysfs + "/bus/pci/devices/" + address + "/power/runtime_status", 32)
      .starts_with("suspended");
}

}  // namespace gpusched
