// Device nodes that the processes of a control group may not open or make: a small eBPF program
// on the group, without a library. It is asked at open and mknod only, so it has to be there before
// the command runs; what is open already stays open.
#pragma once

#include <linux/bpf.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/launcher.h"
#include "os/fd.h"

namespace gpusched {

// Denies character devices in the guarded ranges but for the allowed ones; allows all else.
std::vector<bpf_insn> device_program(const DeviceFilter& filter);
// In the kernel, bound to no group yet: the slow part, which can be done beforehand.
struct LoadedFilter {
  DeviceFilter filter;
  Fd program;
};
Result<LoadedFilter> load_filter(const DeviceFilter& filter);
// Together with what others have bound there: all of them must allow. The program goes with the
// group.
Result<void> bind_filter(int group, const LoadedFilter& loaded);
// In a group that is made below `parent` for it and goes again; nobody is in there. 0, or an errno.
int try_device_filter(const std::string& parent);

// The nodes of /dev/dri that belong to the card at this PCI address, as `sysfs` (/sys) shows them.
std::vector<DeviceNode> drm_nodes_of(const std::string& sysfs, const std::string& pci);

}  // namespace gpusched
