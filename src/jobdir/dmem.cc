#include "jobdir/dmem.h"

#include <fcntl.h>

#include <algorithm>

#include "base/pci.h"
#include "base/text.h"
#include "os/fd.h"

namespace gpusched {

std::vector<std::string> dmem_regions(std::string_view capacity, std::string_view pci) {
  std::vector<std::string> found;
  const std::string part = "/" + kernel_pci(pci) + "/";
  if (pci.empty()) return found;
  while (!capacity.empty()) {
    std::string_view line = take_until(capacity, '\n');
    const std::string_view region = take_until(line, ' ');
    if (region.find(part) != std::string_view::npos) found.emplace_back(region);
  }
  return found;
}

std::string read_dmem_capacity(std::string group) {
  while (!group.empty()) {
    const Fd file(::open((group + "/dmem.capacity").c_str(), O_RDONLY | O_CLOEXEC));
    if (file) {
      std::string text(std::size_t{1} << 16, '\0');
      const ssize_t got = ::read(file.get(), text.data(), text.size());
      text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
      return text;
    }
    group.resize(std::min(group.rfind('/'), group.size()));
  }
  return {};
}

bool limit_dmem(int group, std::string_view capacity, const std::vector<VramLimit>& limits) {
  if (limits.empty() || capacity.empty()) return false;
  bool all = true;
  for (const VramLimit& limit : limits) {
    const std::vector<std::string> regions = dmem_regions(capacity, limit.pci);
    all = all && !regions.empty();
    for (const std::string& region : regions) {
      const Fd file(::openat(group, "dmem.max", O_WRONLY | O_CLOEXEC));
      const std::string line = region + " " + std::to_string(limit.bytes) + "\n";
      all = all && file &&
            ::write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
    }
  }
  return all;
}

}  // namespace gpusched
