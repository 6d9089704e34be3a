#include "sampler/power_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "os/fd.h"

namespace gpusched {

bool is_asleep(const std::string& sysfs, const std::string& pci) {
  // The kernel writes "0000:3b:00.0": four digits of the domain unless it needs more.
  std::string address = pci;
  std::ranges::transform(address, address.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (address.starts_with("0000") && address.find(':') == 8) address.erase(0, 4);
  if (address.empty() || address.find('/') != std::string::npos) return false;
  const Fd file(::open((sysfs + "/bus/pci/devices/" + address + "/power/runtime_status").c_str(),
                       O_RDONLY | O_CLOEXEC));
  char text[32];
  const ssize_t got = file ? ::read(file.get(), text, sizeof text) : 0;
  if (got <= 0) return false;
  return std::string_view(text, static_cast<std::size_t>(got)).starts_with("suspended");
}

}  // namespace gpusched
