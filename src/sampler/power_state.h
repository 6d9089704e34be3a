// Whether the kernel has switched a card off to save power. To ask the driver about such a card
// would switch it on.
#pragma once

#include <string>

namespace gpusched {

// `pci` as "00000000:3B:00.0"; `sysfs` is "/sys" but for tests. Where nothing is known it is awake.
bool is_asleep(const std::string& sysfs, const std::string& pci);

}  // namespace gpusched
