#include "sampler/power_state.h"

#include <algorithm>

#include "os/small_file.h"

namespace gpusched {

bool is_asleep(const std::string& sysfs, const std::string& pci) {
  // The kernel writes "0000:3b:00.0": four digits of the domain unless it needs more.
  std::string address = pci;
  std::ranges::transform(address, address.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (address.starts_with("0000") && address.find(':') == 8) address.erase(0, 4);
  if (address.empty() || address.find('/') != std::string::npos) return false;
  return read_small_file(sysfs + "/bus/pci/devices/" + address + "/power/runtime_status", 32)
      .starts_with("suspended");
}

}  // namespace gpusched
