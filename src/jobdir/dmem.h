// The kernel's own limit on a card's memory: the `dmem` controller of control groups (Linux 6.14
// and newer, with a driver that registers its cards there). Looked for at run time, every time: a
// newer driver brings it without a change here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/launcher.h"

namespace gpusched {

// What a dmem.capacity lists for the card at this PCI address: "drm/0000:03:00.0/vram0",
// "nvidia/0000:03:00.0/vidmem". Empty: the kernel keeps no count of its memory.
std::vector<std::string> dmem_regions(std::string_view capacity, std::string_view pci);
// dmem.capacity of the root above this group, which alone has one. Empty: there is none.
std::string read_dmem_capacity(std::string group);
// Sets dmem.max of the group for each. True: all of them bind.
bool limit_dmem(int group, std::string_view capacity, const std::vector<VramLimit>& limits);

}  // namespace gpusched
