// Addresses on the PCI bus. NVML writes "00000000:3B:00.0", the kernel "0000:3b:00.0".
#pragma once

#include <string>
#include <string_view>

namespace gpusched {

// The form that the kernel's paths have: four digits of the domain unless it needs more.
std::string kernel_pci(std::string_view pci);

}  // namespace gpusched
